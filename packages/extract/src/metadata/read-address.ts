import { isUrl } from "@quarry/base";
import { squeeze } from "./strip-site-name.ts";

/** What an address says of its page, all of it as `addressName` writes it. */
export interface PageAddress {
  readonly whole: string;
  /** What it may call the page: its last step, its last two together ("nba/standings"), and what its query asks for. */
  readonly names: ReadonlySet<string>;
}

/** Reads what may name the page; of what is no address, nothing. */
export function readAddress(url: string): PageAddress {
  if (!isUrl(url)) return { whole: "", names: new Set() };
  const { pathname, searchParams } = new URL(url);
  const steps = pathname.split("/").filter((step) => step !== "");
  const last = decoded(steps.at(-1) ?? "").replace(/\.[a-z]{2,5}$/i, "");
  const names = [last, `${decoded(steps.at(-2) ?? "")} ${last}`, ...searchParams.values()].map(addressName);
  return { whole: addressName(decoded(url)), names: new Set(names.filter((name) => name !== "")) };
}

/** A title as addresses write it: letters and digits only, in lower case and without accents. */
export function addressName(title: string): string {
  return squeeze(title.normalize("NFKD").replace(/\p{M}/gu, ""));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that stands for itself
  }
}
