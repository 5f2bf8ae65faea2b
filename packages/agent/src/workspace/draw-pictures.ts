import type * as Canvas from "@napi-rs/canvas";
import { AppError } from "@quarry/base";

/** What draws; a parameter so that its absence can be tried. */
export type LoadCanvas = () => Promise<typeof Canvas>;

/** A picture as a model gets it: PNG or JPEG. */
export interface Picture {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

/** The longest side of a picture that models get the most of; larger ones are scaled down. */
export const MAX_PICTURE_SIDE = 1_568;
export const MAX_PICTURE_BYTES = 5 * 1024 * 1024;
/** What is unpacked into memory to be scaled, four bytes a pixel. */
const MAX_PIXELS = 50_000_000;
const PAGE_SIDE = 1_024;
/** How many pages one reading draws, and for how long it goes on with another: the text is there anyway. */
const MAX_PAGES = 5;
const MAX_DRAWING_MS = 5_000;
const JPEG_QUALITY = 85;

/** Loaded when the first picture is drawn: a server that draws none need not hold it in memory. */
export const loadCanvas: LoadCanvas = async () => {
  try {
    return await import("@napi-rs/canvas");
  } catch (cause) {
    throw new AppError(
      "unavailable",
      "pictures cannot be drawn here: @napi-rs/canvas has no build for this platform, or its platform package is not installed (npm install without --omit=optional gets it)",
      { cause },
    );
  }
};

/** A picture scaled down to what is passed on. Throws `too_large`, `unprocessable`, or `unavailable` where nothing can draw. */
export async function scaleDown(
  picture: Picture & { readonly mediaType: string },
  load: LoadCanvas = loadCanvas,
): Promise<Picture> {
  const { bytes, width, height, mediaType } = picture;
  if (width * height > MAX_PIXELS) {
    const size = `${width} by ${height} pixels`;
    throw new AppError("too_large", `the image has ${size}; at most ${MAX_PIXELS} in all can be scaled down`);
  }
  const { createCanvas, loadImage } = await load();
  const image = await loadImage(bytes).catch((cause: unknown) => {
    throw new AppError("unprocessable", "the image cannot be read: it is damaged", { cause });
  });
  const scale = Math.min(1, MAX_PICTURE_SIDE / Math.max(width, height));
  const to = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  const canvas = createCanvas(to.width, to.height);
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, to.width, to.height);
  const png = mediaType === "image/jpeg" ? undefined : await canvas.encode("png");
  // What is too large without loss may lose some: the side is bounded, so a JPEG always fits.
  const fits = png !== undefined && png.length <= MAX_PICTURE_BYTES;
  return { bytes: fits ? png : await canvas.encode("jpeg", JPEG_QUALITY), ...to };
}

/** Pages of a PDF as pictures, the first few of those asked for. Throws `unavailable` where nothing can draw. */
export async function drawPages(
  pdf: Buffer,
  pages: readonly number[],
  by: { readonly load?: LoadCanvas; readonly signal: AbortSignal },
): Promise<readonly Picture[]> {
  const load = by.load ?? loadCanvas;
  await load();
  ensureTransfer();
  const { createIsomorphicCanvasFactory, getDocumentProxy, renderPageAsImage } = await import("unpdf");
  const CanvasFactory = await createIsomorphicCanvasFactory(load);
  const document = await getDocumentProxy(new Uint8Array(pdf), { CanvasFactory });
  try {
    const drawn: Picture[] = [];
    const until = performance.now() + MAX_DRAWING_MS;
    for (const page of pages.slice(0, MAX_PAGES)) {
      by.signal.throwIfAborted();
      if (performance.now() > until) break;
      const size = (await document.getPage(page)).getViewport({ scale: 1 });
      const scale = PAGE_SIDE / Math.max(size.width, size.height, 1);
      const png = await renderPageAsImage(document, page, { canvasImport: load, scale });
      const [width, height] = [Math.floor(size.width * scale), Math.floor(size.height * scale)];
      drawn.push({ bytes: Buffer.from(png), width, height });
    }
    return drawn;
  } catch (cause) {
    by.signal.throwIfAborted();
    throw new AppError("unprocessable", "the pages of the PDF cannot be drawn", { cause });
  } finally {
    await document.loadingTask.destroy();
  }
}

/** PDF.js takes ArrayBuffer.prototype.transferToFixedLength for granted when it hands on fonts; Node 20 has none, and pages stay white. */
function ensureTransfer(): void {
  if ("transferToFixedLength" in ArrayBuffer.prototype) return;
  Object.defineProperty(ArrayBuffer.prototype, "transferToFixedLength", {
    configurable: true,
    writable: true,
    value: function transferToFixedLength(this: ArrayBuffer, length: number = this.byteLength): ArrayBuffer {
      return this.slice(0, length);
    },
  });
}
