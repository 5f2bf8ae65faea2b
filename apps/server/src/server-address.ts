import { isIP } from "node:net";
import type { Config } from "@quarry/config";
import type { AllowList } from "@quarry/net";

/** How programs on this machine reach the server. */
export function localUrl(config: Config, port: number): string {
  const host =
    config.host === "0.0.0.0"
      ? "127.0.0.1"
      : config.host === "::"
        ? "[::1]"
        : config.host.includes(":")
          ? `[${config.host}]`
          : config.host;
  return `http://${host}:${port}`;
}

/** Whether the operator opened the host of an address to the crawler. */
export function isOpened(opened: AllowList, address: string): boolean {
  const url = new URL(address);
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return opened.opensHost(host, port) || (isIP(host) !== 0 && opened.opensAddress(host, port));
}
