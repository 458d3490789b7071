import { isObject } from "../../generated/support.ts";
import type { Inspector } from "./inspector.ts";

/** True if a development server has started this process for its page. Other parents may have a channel as well. */
export function isForDevelopment(): boolean {
  return process.env["MCP_DEV_PAGE"] !== undefined && process.send !== undefined;
}

/**
 * Follows the development server that has started this process. Sends it the address of the page, which no other process learns, and shows its
 * output. Resolves when it ends, or when the signal is aborted.
 */
export function followDevelopment(
  { url, addOutput }: Pick<Inspector, "url" | "addOutput">,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      // The channel would keep the process alive.
      if (process.connected) process.disconnect();
      resolve();
    };
    signal.addEventListener("abort", end);
    // It may have ended while the page was opened.
    if (signal.aborted || !process.connected) return end();
    process.once("disconnect", end);
    process.on("message", (message) => {
      if (isObject(message) && message.kind === "output" && typeof message.text === "string") addOutput(message.text);
    });
    process.send?.({ kind: "opened", url });
  });
}
