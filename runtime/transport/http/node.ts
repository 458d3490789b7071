import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer, Body, EventWriter, Exchange, HeaderFields } from "./exchange.ts";

/** A request of `node:http` and its answer. */
export class NodeExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #fields: HeaderFields | undefined;
  #isRead = false;

  constructor(request: IncomingMessage, response: ServerResponse) {
    const { method = "", url = "/" } = request;
    const end = url.indexOf("?");
    const target = end === -1 ? url : url.slice(0, end);
    this.method = method;
    this.path = target.startsWith("/") ? target : (toUrl(url)?.pathname ?? target);
    this.#request = request;
    this.#response = response;
  }

  get host(): string | undefined {
    const { rawHeaders, url = "/" } = this.#request;
    let host: string | undefined;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index];
      if (name?.length !== 4 || name.toLowerCase() !== "host") continue;
      if (host !== undefined) return undefined;
      host = rawHeaders[index + 1];
    }
    // Proxies are asked for whole URLs: then both have to name the same host.
    return url.startsWith("/") || toUrl(url)?.host === host ? host : undefined;
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  onClose(run: () => void): void {
    this.#response.once("close", run);
  }

  query(name: string): string | undefined {
    return toUrl(this.#request.url ?? "/")?.searchParams.get(name) ?? undefined;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  addFields(fields: HeaderFields): void {
    this.#fields = { ...this.#fields, ...fields };
  }

  readBody(maxBytes: number): Promise<Body> {
    const request = this.#request;
    this.#isRead = true;
    // Somebody else has read it: no event would ever come.
    if (request.readableEnded) return Promise.resolve({ kind: "lost" });
    return new Promise((resolve) => {
      const chunks: Uint8Array[] = [];
      let size = 0;
      request.on("data", (chunk: Uint8Array) => {
        size += chunk.length;
        if (size <= maxBytes) chunks.push(chunk);
        else {
          request.pause();
          this.#isRead = false;
          resolve({ kind: "too-large" });
        }
      });
      request.on("end", () => resolve(toText(chunks)));
      request.on("error", () => resolve({ kind: "lost" }));
      request.on("close", () => resolve({ kind: "lost" }));
    });
  }

  answer({ status, headers, body }: Answer): void {
    if (this.isGone) return;
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    const fields: Record<string, string | number> = { ...headers, ...this.#fields };
    if (status !== 204) fields["content-length"] = length;
    if (!this.#isRead && this.#hasLongBody()) fields.connection = "close";
    this.#response.writeHead(status, fields).end(body);
  }

  stream(headers: HeaderFields): EventWriter {
    return new NodeWriter(this.#response.writeHead(200, { ...headers, ...this.#fields }));
  }

  /** Whether more than a little would have to be read and thrown away before the connection can be used again. */
  #hasLongBody(): boolean {
    const { headers } = this.#request;
    return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > drainedBytes;
  }
}

class NodeWriter implements EventWriter {
  readonly #response: ServerResponse;
  #isFlushed = false;
  #drained: Promise<void> | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on("error", ignore);
    // Unless something follows at once, the head alone must tell the client that the stream is open.
    queueMicrotask(() => this.#flush());
  }

  get waiting(): number {
    return this.#response.writableLength;
  }

  write(text: string): void {
    this.#isFlushed = true;
    if (!this.#response.destroyed) this.#response.write(text);
  }

  drained(): Promise<void> {
    const response = this.#response;
    this.#drained ??= new Promise((resolve) => {
      const done = (): void => {
        response.off("drain", done).off("close", done);
        this.#drained = undefined;
        resolve();
      };
      response.on("drain", done).on("close", done);
    });
    return this.#drained;
  }

  end(): void {
    this.#isFlushed = true;
    if (!this.#response.writableEnded) this.#response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }

  onClose(run: () => void): void {
    this.#response.once("close", run);
  }

  #flush(): void {
    if (!this.#isFlushed && !this.#response.destroyed) this.#response.flushHeaders();
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The rest of a refused body up to this size is read, so that the connection can be used again. */
const drainedBytes = 64 * 1024;

function toText(chunks: readonly Uint8Array[]): Body {
  const [first] = chunks;
  try {
    return { kind: "text", text: utf8.decode(chunks.length === 1 ? first : Buffer.concat(chunks)) };
  } catch {
    return { kind: "not-text" };
  }
}

function toUrl(target: string): URL | undefined {
  const base = "http://localhost";
  return URL.canParse(target, base) ? new URL(target, base) : undefined;
}

function ignore(): void {}
