import type { ServerResponse } from "node:http";

/** Milliseconds for which a client may read none of a waiting response. */
export const readerTimeout = 30_000;

/** Milliseconds between two checks. */
export const checkInterval = 5_000;

/**
 * Destroys a response when its client does not read it. Otherwise it would be held indefinitely. The time restarts whenever the client reads some of
 * it. Node's socket timeout fires only while the client reads nothing, also within one long write: a late timeout shows progress.
 */
export function expectReader(response: ServerResponse): void {
  const { timeout = 0 } = response.socket ?? {};
  let waited = { checks: 0, bytes: 0, until: 0 };
  const check = (): void => {
    const { socket, writableLength: bytes } = response;
    const interval = socket?.timeout ?? checkInterval;
    const now = performance.now();
    const wasRead = bytes < waited.bytes || now > waited.until;
    waited = { checks: wasRead ? 1 : waited.checks + 1, bytes, until: now + 1.2 * interval };
    if (bytes > 0 && waited.checks >= readerTimeout / checkInterval) return void response.destroy();
    socket?.setTimeout(interval);
  };
  response.setTimeout(checkInterval, check);
  // The next request on the connection gets the original timeout again.
  response.prependOnceListener("finish", () => response.socket?.setTimeout(timeout));
}
