import { setTimeout as sleep } from "node:timers/promises";
import type { TestClient } from "./client.ts";
import { readStream } from "./client.ts";
import { readBody } from "./http.ts";
import { parseMessage, type Message } from "./message.ts";

/** Stream of a session that was opened by GET, over all its connections. */
export interface Listener {
  /** Resolves when the first connection is there. */
  readonly connected: Promise<void>;
  /** Ends the stream, and resolves when nothing more is read. */
  stop(): Promise<void>;
}

/** Listens to a session until it is stopped, whatever happens to its connections. */
export function startListener(client: TestClient, onRequest?: (message: Message) => void): Listener {
  const id = client.newConnection();
  const stopped = new AbortController();
  let lastEventId: string | undefined;
  // As the server wants, so that not all clients come back at once.
  let wait: number | undefined;
  let setConnected = (): void => undefined;
  const connected = new Promise<void>((resolve) => (setConnected = resolve));

  const read = async (): Promise<void> => {
    const isResumed = lastEventId !== undefined;
    const line = { op: isResumed ? "resume" : "listen", id, value: lastEventId ?? "" } as const;
    if (isResumed) client.write({ phase: "call", ...line });
    const response = await client.send({ method: "GET", lastEventId, signal: stopped.signal });
    const status = response && { status: response.status };
    if (isResumed) client.write({ phase: "return", ...line, outcome: response?.ok ? "ok" : "fail", ...status });
    if (!response?.ok) {
      if (response) await readBody(response);
      // The position is no longer known: a new stream is all that is left.
      if (response?.status === 400 || response?.status === 404) lastEventId = undefined;
      return;
    }
    if (!isResumed) client.write({ phase: "event", ...line, status: response.status });
    setConnected();
    const connection = client.newConnection();
    await readStream(response, (event, value, retry) => {
      wait = retry ?? wait;
      if (event !== undefined) lastEventId = event;
      client.write({ phase: "event", op: "event", id, value, connection, ...(event !== undefined && { event }) });
      const message = parseMessage(value);
      if (message?.id !== undefined && message.method !== undefined) onRequest?.(message);
    });
  };

  const run = async (): Promise<void> => {
    client.write({ phase: "call", op: "listen", id });
    while (!stopped.signal.aborted) {
      await read();
      if (!stopped.signal.aborted) await sleep(wait ?? client.random() * 200);
    }
    client.write({ phase: "return", op: "listen", id, outcome: "ok" });
  };

  const ended = run();
  return {
    connected,
    stop() {
      stopped.abort();
      return ended;
    },
  };
}
