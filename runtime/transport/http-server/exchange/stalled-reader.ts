import type { ServerResponse } from "node:http";

/** Milliseconds that a client may take nothing of a response of which something waits for it. */
export const readerTimeout = 30_000;

/** Milliseconds between two checks. */
export const checkInterval = 5_000;

/**
 * Breaks off a response that its client does not read: it would be held without end. The time begins again whenever the client takes some of
 * it. Node's time-out of the socket ends only while nothing is taken, however long one write is.
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
  // What comes next on the connection has as much time as it had before.
  response.prependOnceListener("finish", () => response.socket?.setTimeout(timeout));
}
