import { isObject } from "../../../generated/support.ts";

/** A message on the wire between a {@link TestClient} and a server. */
export interface TestMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: object;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Responds to a request of the server. */
export type TestResponder = (request: TestMessage) => Promise<TestMessage>;

/** A connection to a server, over one transport. */
export interface TestLink {
  /**
   * Sends a message. Resolves to its response, or to `undefined` for a notification. Earlier requests of the server are passed to
   * `respond`; without it they are ignored, like notifications.
   */
  exchange(message: TestMessage, respond?: TestResponder): Promise<TestMessage | undefined>;
  /** Stops the server as its host does. Resolves to its exit code. */
  end(): Promise<number | null>;
}

/** Opens a connection for a client of a revision. */
export type OpenTestLink = (revision: string) => Promise<TestLink>;

/** Text of a message. */
export function writeMessage(message: TestMessage): string {
  return JSON.stringify({ jsonrpc: "2.0", ...message });
}

/** Parses a message of the server. @throws {Error} when it is no message of JSON-RPC. */
export function readMessage(text: string): TestMessage {
  const message: unknown = JSON.parse(text);
  if (isMessage(message)) return message;
  throw new Error(`The server sent something that is not a message: ${text.slice(0, 200)}`);
}

function isMessage(value: unknown): value is TestMessage {
  if (!isObject(value)) return false;
  const { result, error } = value;
  return (result === undefined || isObject(result)) && (error === undefined || isObject(error));
}

/** Reads messages until the response to one of the client. `send` sends the responses to requests of the server. */
export async function receiveResponse(
  messages: AsyncIterable<TestMessage>,
  id: TestMessage["id"],
  { respond, send }: { readonly respond: TestResponder | undefined; send(response: TestMessage): Promise<void> },
): Promise<TestMessage | undefined> {
  for await (const message of messages) {
    if (message.method === undefined && message.id === id) return message;
    if (message.method !== undefined && message.id !== undefined && respond) await send(await respond(message));
  }
  return undefined;
}

/** Passes on values, and leaves the source open for the next reader. */
export async function* keepOpen<T>(source: AsyncIterator<T>): AsyncGenerator<T, undefined> {
  for (;;) {
    const { value, done } = await source.next();
    if (done) return undefined;
    yield value;
  }
}
