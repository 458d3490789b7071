import { isObject, type Revision } from "../../../generated/support.ts";
import { EventDecoder } from "../../../runtime/framing/sse-events.ts";
import { explainCause } from "../../../generator/internal/user-error.ts";
import { readText } from "../../../runtime/transport/http-client/body.ts";
import { fetchRaw, isLoopback, joinHeaders, type RawRequest, type HttpWireOptions } from "./raw-fetch.ts";
import { keep } from "./received-messages.ts";
import type { Exchange, ExchangeOptions, HttpRejection, StrayData, Wire, WireFactory } from "./wire.ts";

/** Creates connections to a server over Streamable HTTP. A connection keeps the session opened by the server. */
export function createHttpWires(options: HttpWireOptions): WireFactory {
  const { url, timeout } = options;
  return { transport: "http", address: { url, timeout }, open: () => Promise.resolve(new HttpWire(options)) };
}

/** One session over HTTP. Any other request can be sent beside it. */
export class HttpWire implements Wire {
  readonly transport = "http";
  readonly unsolicited: unknown[] = [];
  readonly strayData: StrayData[] = [];
  /** Headers of the session: its id and, later, the revision. */
  readonly session: Record<string, string> = {};
  readonly #options: HttpWireOptions;
  #silence = "";

  constructor(options: HttpWireOptions) {
    this.#options = { ...options, onFailure: (reason) => void (this.#silence = reason) };
  }

  get silence(): string {
    return this.#silence;
  }

  /** Address, headers and timeout of the requests. */
  get options(): HttpWireOptions {
    return this.#options;
  }

  /** True if the server is on this machine. */
  get isLoopback(): boolean {
    return isLoopback(this.#options.url);
  }

  get isOpen(): boolean {
    return true;
  }

  exchange(message: unknown, options: ExchangeOptions = {}): Promise<Exchange> {
    return this.#post(JSON.stringify(message), options);
  }

  sendText(text: string): Promise<Exchange> {
    return this.#post(text, {});
  }

  /** Sends the agreed revision with all further requests, if it has a header for it. */
  agree({ id, headers }: Pick<Revision, "id" | "headers">): void {
    const header = headers.find(({ source }) => source === "revision");
    if (header) this.session[header.name.toLowerCase()] = id;
  }

  async #post(body: string, { id, headers, signal }: ExchangeOptions): Promise<Exchange> {
    const base = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const response = await this.fetch("POST", joinHeaders(base, this.session, headers ?? {}), { body, signal });
    if (!response) return {};
    const session = response.headers.get("mcp-session-id");
    if (session !== null) this.session["mcp-session-id"] = session;
    return { status: response.status, ...(await this.#readResponse(response, id)) };
  }

  /** Sends any request to the address. Returns `undefined` when no response arrives in time. */
  fetch(
    method: "GET" | "POST" | "DELETE",
    headers: Readonly<Record<string, string>>,
    parts: RawRequest = {},
  ): Promise<Response | undefined> {
    return fetchRaw(this.#options, { method, headers, ...parts });
  }

  async close(): Promise<{ readonly wasKilled: boolean }> {
    if (this.session["mcp-session-id"] !== undefined) {
      const response = await this.fetch("DELETE", this.session);
      await response?.body?.cancel();
    }
    return { wasKilled: false };
  }

  async #readResponse(response: Response, id: string | number | undefined): Promise<Exchange> {
    const type = response.headers.get("content-type") ?? "";
    if (/^text\/event-stream\b/i.test(type)) return this.#readStream(response, id);
    let reason: string | undefined;
    const text = await readText(response, maxResponseBytes).catch((error: unknown) => {
      reason = this.#explain(error);
      return "";
    });
    const failure = {
      ...(reason !== undefined && { reason }),
      ...(!response.ok && { rejection: toRejection(response, text) }),
    };
    if (text.trim() === "") return failure;
    try {
      const result = this.#sort([JSON.parse(text)].flat(), id);
      return result === undefined ? failure : { response: result };
    } catch {
      if (response.ok) keep(this.strayData, { kind: "text", text: text.slice(0, 200) });
      return failure;
    }
  }

  /** Reads a stream until the response arrives. Keeps the other messages in it. */
  async #readStream(response: Response, id: string | number | undefined): Promise<Exchange> {
    const messages: unknown[] = [];
    let reason: string | undefined;
    const decoder = new EventDecoder(
      { maxMessageBytes: maxResponseBytes },
      {
        event: ({ data }) => this.#takeEvent(data, messages),
        problem: ({ message }) => void (reason = message),
      },
    );
    try {
      for await (const chunk of response.body ?? []) {
        decoder.push(chunk);
        const result = this.#sort(messages.splice(0), id);
        if (result !== undefined) return { response: result };
      }
    } catch (error) {
      reason ??= this.#explain(error);
    }
    return { ...(reason !== undefined && { reason }), ...(!response.ok && { rejection: toRejection(response, "") }) };
  }

  #explain(error: unknown): string {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return isLate ? `no response within ${this.#options.timeout / 1_000} s` : explainCause(error);
  }

  #takeEvent(data: string, messages: unknown[]): void {
    if (data === "") return;
    try {
      messages.push(...[JSON.parse(data)].flat());
    } catch {
      keep(this.strayData, { kind: "text", text: data.slice(0, 200) });
    }
  }

  #sort(messages: readonly unknown[], id: string | number | undefined): unknown {
    const isResponse = (value: unknown): boolean =>
      isObject(value) && !("method" in value) && (value.id === id || (id !== undefined && value.id === null));
    for (const message of messages) if (!isResponse(message)) keep(this.unsolicited, message);
    return messages.find(isResponse);
  }
}

function toRejection({ headers }: Response, text: string): HttpRejection {
  return {
    body: text.slice(0, 500),
    location: headers.get("location") ?? undefined,
    wwwAuthenticate: headers.get("www-authenticate") ?? undefined,
  };
}

/** Limit for the body of a response, in bytes. No real server sends more in one response. */
const maxResponseBytes = 16 * 1024 * 1024;
