import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { ClientSideToolV2 } from "@quarry/contract";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { createOpenAiImages, type ImageProvider, type SendToProvider } from "../../screen/image-provider.ts";
import { withWorkspace } from "../../testing-workspace.ts";
import { createToolRegistry } from "../../tool-registry.ts";
import { validateCall } from "../../validate-call.ts";
import { generateImageTool } from "./generate-image.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
  "base64",
);

interface Heard {
  readonly path: string;
  readonly key: string | undefined;
  readonly type: string;
  readonly body: string;
}

/** Runs `work` with a provider on a real endpoint, and what that heard. */
async function withProvider<T>(
  answer: { readonly status: number; readonly body: string },
  work: (images: ImageProvider, heard: readonly Heard[]) => Promise<T>,
): Promise<T> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { authorization: key, "content-type": type = "" } = request.headers;
      heard.push({ path: request.url ?? "", key, type, body: Buffer.concat(chunks).toString("latin1") });
      response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const send: SendToProvider = async ({ url, method = "GET", headers = {}, body }, signal) => {
    const reply = await fetch(url, {
      method,
      headers,
      signal,
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
    });
    return { kind: "reply", status: reply.status, body: reply.body ?? (async function* () {})() };
  };
  const endpoint = { url: `http://127.0.0.1:${port}/v1/`, key: "k", model: "painter" };
  try {
    return await work(createOpenAiImages({ send }, endpoint), heard);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const drawn = { status: 200, body: JSON.stringify({ data: [{ b64_json: PNG.toString("base64") }] }) };

describe("generate_image", () => {
  verifies(
    [
      "tools:generate-image:params:description",
      "tools:generate-image:params:file-path",
      "tools:generate-image:params:reference-image-paths",
      "tools:generate-image:result:file-path",
      "tools:generate-image:result:image-data",
    ],
    "draws by a description and by images to go by, into the workspace alone",
    () =>
      withWorkspace({ "art/cat.png": PNG, "notes.txt": "no image" }, ({ root, deps, run }) =>
        withProvider(drawn, async (images, heard) => {
          const tool = generateImageTool({ ...deps, images });
          // Its arguments come in raw_args.
          const valid = validateCall(createToolRegistry([tool]), {
            clientTool: ClientSideToolV2.GENERATE_IMAGE,
            name: "",
            params: undefined,
            rawArgs: '{"description": "A red fox", "file_path": "art/fox.png"}',
          });
          if (valid.kind === "invalid") throw new Error(valid.error.model);
          expect(await run(tool, valid.args)).toEqual({
            success: { filePath: "art/fox.png", imageData: `data:image/png;base64,${PNG.toString("base64")}` },
          });
          expect(readFileSync(path.join(root, "art/fox.png"))).toEqual(PNG);
          expect(heard[0]).toEqual({
            path: "/v1/images/generations",
            key: "Bearer k",
            type: "application/json",
            body: JSON.stringify({ prompt: "A red fox", n: 1, model: "painter" }),
          });
          expect(await run(tool, { description: "A blue fox!", referenceImagePaths: ["art/cat.png"] })).toMatchObject({
            success: { filePath: "images/a-blue-fox.png" },
          });
          expect(heard[1]).toMatchObject({ path: "/v1/images/edits", key: "Bearer k" });
          expect(heard[1]?.type).toMatch(/^multipart\/form-data; boundary=/);
          expect(heard[1]?.body).toContain('name="image[]"; filename="cat.png"');
          expect(heard[1]?.body).toContain(PNG.toString("latin1"));

          const wish = { description: "x" };
          await expect(run(tool, { ...wish, filePath: "../x.png" })).rejects.toThrow(/outside the workspace/);
          await expect(run(tool, { ...wish, filePath: "art" })).rejects.toThrow(/is a directory/);
          await expect(run(tool, { ...wish, referenceImagePaths: ["notes.txt"] })).rejects.toThrow(/is no image/);
          await expect(run(tool, { ...wish, referenceImagePaths: ["gone.png"] })).rejects.toThrow(
            /there is no gone.png/,
          );
          await expect(run(tool, {})).rejects.toThrow(/description is missing/);
          expect(heard).toHaveLength(2);
        }),
      ),
  );

  it("writes over a file only after the question said so", () =>
    withWorkspace({ "a.png": "mine" }, ({ root, deps }) =>
      withProvider(drawn, async (images) => {
        const tool = generateImageTool({ ...deps, images });
        const call = (toolCallId: string) => ({
          teamId: "team",
          session: { id: "session", workspaceRoot: "", mode: "agent" as const },
          toolCallId,
          signal: new AbortController().signal,
          earlierResults: () => Promise.resolve([]),
        });
        const args = (filePath: string) => ({ description: "x", filePath });
        expect((await tool.inspect(args("new.png"), call("1"))).alwaysAsk).toBeUndefined();
        writeFileSync(path.join(root, "new.png"), "made meanwhile");
        await expect(tool.run(args("new.png"), call("1")).next()).rejects.toThrow(/nobody was asked/);
        expect(readFileSync(path.join(root, "new.png"), "utf8")).toBe("made meanwhile");
        expect((await tool.inspect(args("a.png"), call("2"))).alwaysAsk).toEqual([
          "it writes over a.png, which is there already",
        ]);
        await tool.run(args("a.png"), call("2")).next();
        expect(readFileSync(path.join(root, "a.png"))).toEqual(PNG);
      }),
    ));

  verifies("tools:generate-image:result:error", "says how a provider is set, or what it refused", () =>
    withWorkspace({}, async ({ deps, run }) => {
      const none = generateImageTool({ ...deps, images: undefined });
      expect(await run(none, { description: "x" })).toEqual({
        error: { error: expect.stringMatching(/nothing was drawn.*QUARRY_IMAGE_URL/) as string },
      });
      await withProvider({ status: 400, body: '{"error":"not that"}' }, (images) =>
        expect(run(generateImageTool({ ...deps, images }), { description: "x" })).rejects.toThrow(
          /answered 400: .*not that/,
        ),
      );
      await withProvider({ status: 200, body: '{"data":[{"b64_json":"aGk="}]}' }, (images) =>
        expect(run(generateImageTool({ ...deps, images }), { description: "x" })).rejects.toThrow(/no image/),
      );
      expect(none.refuse({}, "no")).toEqual({ error: { error: "The person declined: no" } });
    }),
  );
});
