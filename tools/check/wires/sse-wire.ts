import { fetchRaw, isLoopback, type RawRequest, type HttpWireOptions } from "./raw-fetch.ts";
import { EventStream } from "./event-stream.ts";
import type { Exchange, ExchangeOptions, Wire, WireFactory } from "./wire.ts";
import { isUrl } from "../../../runtime/internal/parse-url.ts";

/** Creates connections over HTTP with SSE, the predecessor of Streamable HTTP. */
export function createSseWires(options: HttpWireOptions): WireFactory {
  return { transport: "sse", open: () => openSse(options) };
}

/** Address to post messages to. */
export type Endpoint =
  | { readonly kind: "named"; readonly url: URL }
  | { readonly kind: "missing"; readonly problem: string }
  /** An address at another origin. Nothing is posted to it, because messages and headers may carry secrets. */
  | { readonly kind: "foreign"; readonly origin: string };

/** Opens the stream and waits for the name of the endpoint in it. */
export async function openSse(options: HttpWireOptions): Promise<SseWire> {
  const stream = new EventStream();
  const giveUp = setTimeout(() => stream.close(), options.timeout);
  const endpoint = await open(stream, options);
  clearTimeout(giveUp);
  if (endpoint.kind !== "named") stream.close();
  return new SseWire(options, stream, endpoint);
}

async function open(stream: EventStream, { url, headers, timeout }: HttpWireOptions): Promise<Endpoint> {
  const { signal } = stream;
  const head = { method: "GET", headers: { ...headers, accept: "text/event-stream" }, redirect: "manual" } as const;
  const response = await fetch(url, { ...head, signal }).catch(() => undefined);
  const type = response?.headers.get("content-type") ?? "";
  if (!response) return { kind: "missing", problem: "GET got no response" };
  if (!response.ok || !/^text\/event-stream\b/i.test(type)) {
    return {
      kind: "missing",
      problem: `the response to GET is HTTP ${response.status} with ${type || "no content type"}`,
    };
  }
  void stream.read(response);
  const name = await stream.endpoint;
  if (name === undefined) return { kind: "missing", problem: `no event "endpoint" within ${timeout} ms` };
  if (!isUrl(name, url.href)) return { kind: "missing", problem: `${JSON.stringify(name)} is not an address` };
  const named = new URL(name, url);
  return named.origin === url.origin ? { kind: "named", url: named } : { kind: "foreign", origin: named.origin };
}

/** A session: a stream with all messages of the server, and an address for messages of the client. */
export class SseWire implements Wire {
  readonly transport = "sse";
  readonly endpoint: Endpoint;
  readonly unsolicited: EventStream["unsolicited"];
  readonly strayData: EventStream["strayData"];
  readonly #options: HttpWireOptions;
  readonly #stream: EventStream;

  constructor(options: HttpWireOptions, stream: EventStream, endpoint: Endpoint) {
    this.endpoint = endpoint;
    this.unsolicited = stream.unsolicited;
    this.strayData = stream.strayData;
    this.#options = options;
    this.#stream = stream;
  }

  /** True if the server is on this machine. */
  get isLoopback(): boolean {
    return isLoopback(this.#options.url);
  }

  get isOpen(): boolean {
    return this.#stream.isOpen;
  }

  get silence(): string {
    return this.endpoint.kind === "missing" ? this.endpoint.problem : "";
  }

  async exchange(message: unknown, { id, signal }: ExchangeOptions = {}): Promise<Exchange> {
    const result = id === undefined ? undefined : this.#stream.wait(id, this.#options.timeout, signal);
    const taken = await this.sendText(JSON.stringify(message));
    const isTaken = taken.status !== undefined && taken.status < 300;
    // A rejected message gets no response on the stream.
    if (id !== undefined && !isTaken) this.#stream.settle(id, {});
    return { ...taken, ...(await result) };
  }

  async sendText(text: string): Promise<Exchange> {
    if (this.endpoint.kind !== "named") return {};
    const response = await this.post(this.endpoint.url, { body: text });
    await response?.body?.cancel();
    return response ? { status: response.status } : {};
  }

  /** Posts to an address of the same server. */
  post(url: URL, parts: RawRequest): Promise<Response | undefined> {
    const headers = { "content-type": "application/json" };
    return fetchRaw({ ...this.#options, url }, { method: "POST", headers, ...parts });
  }

  /** Opens another stream, with additional headers. */
  get(headers: Readonly<Record<string, string>>): Promise<Response | undefined> {
    return fetchRaw(this.#options, { method: "GET", headers: { accept: "text/event-stream", ...headers } });
  }

  close(): Promise<{ readonly wasKilled: boolean }> {
    this.#stream.close();
    return Promise.resolve({ wasKilled: false });
  }
}
