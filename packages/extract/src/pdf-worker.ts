import { parentPort, workerData } from "node:worker_threads";
import { extractPdf } from "./formats/pdf.ts";
import type { PdfReply, PdfTask } from "./run-pdf-worker.ts";

/** The entry of the thread that reads one PDF and ends; started by `runPdfWorker`, bundled as a file of its own. */
async function readOne(task: PdfTask): Promise<PdfReply> {
  try {
    const document = await extractPdf(task, { limits: task.limits, timeoutMs: task.timeoutMs });
    return { kind: "extracted", document };
  } catch (error) {
    return { kind: "failed", reason: "broken", message: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.postMessage(await readOne(workerData as PdfTask));
