import { showItem } from "../runs/show-item.ts";
import type { ItemBatches } from "./export-rows.ts";

/** The items as the wire shows them, without the pages' texts: one list, or one item a line. */
export async function* writeJson(form: "json" | "jsonl", batches: ItemBatches): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  if (form === "json") yield Buffer.from("[");
  for await (const batch of batches) {
    const items = batch.map((whole) => JSON.stringify(showItem(whole, undefined)));
    const text =
      form === "jsonl" ? items.map((item) => `${item}\n`).join("") : `${isFirst ? "\n" : ",\n"}${items.join(",\n")}`;
    isFirst = false;
    yield Buffer.from(text, "utf8");
  }
  if (form === "json") yield Buffer.from("\n]\n");
}
