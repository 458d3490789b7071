import { ByteBuffer } from "../../../framing/byte-buffer.ts";
import { joint } from "../../../framing/param-headers.ts";
import { type Cancel, startTimer } from "../../../internal/timers.ts";
import type { HttpResponse, Body, BodyLimits, EventWriter, Exchange, HeaderFields } from "./exchange.ts";
import { isUrl } from "../../../internal/parse-url.ts";

/** Exchange for a `Request` of the web platform and its response. */
export class FetchExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  /** Resolves when the response begins. */
  readonly response: Promise<Response>;
  readonly #request: Request;
  readonly #url: URL;
  #respond: (response: Response) => void = () => {};
  #fields: HeaderFields | undefined;
  #writer: FetchWriter | undefined;
  #onStream: ((writer: EventWriter) => void)[] | undefined;

  constructor(request: Request) {
    this.#request = request;
    this.#url = new URL(request.url);
    this.method = request.method;
    this.path = this.#url.pathname;
    this.response = new Promise((resolve) => (this.#respond = resolve));
  }

  /** Host of the target, which overrides the `Host` line; absent with several lines. @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2 */
  get host(): string | undefined {
    return this.#request.headers.get("host")?.includes(",") ? undefined : this.#url.host;
  }

  /** Hosts of the target and the `Host` line. Both are checked: some frameworks put their own name into the URL. */
  get hosts(): readonly string[] {
    const { host } = this;
    if (host === undefined) return [];
    const line = this.#request.headers.get("host") ?? host;
    return isSameHost(line, this.#url) ? [host] : [host, line];
  }

  get isCut(): boolean {
    return false;
  }

  get address(): undefined {
    return undefined;
  }

  isRepeated(name: string): boolean {
    return this.#request.headers.get(name)?.includes(joint) === true;
  }

  certificate(): undefined {
    return undefined;
  }

  get isGone(): boolean {
    return this.#request.signal.aborted;
  }

  onClose(run: () => void): void {
    if (this.isGone) queueMicrotask(run);
    else this.#request.signal.addEventListener("abort", run, { once: true });
  }

  query(name: string): string | undefined {
    return this.#url.searchParams.get(name) ?? undefined;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  addFields(fields: HeaderFields): void {
    this.#fields = { ...this.#fields, ...fields };
  }

  async readBody({ maxBytes, timeout }: BodyLimits): Promise<Body> {
    const reader = this.#request.body?.getReader();
    const body = new ByteBuffer();
    for (;;) {
      const part = await readPart(reader, timeout);
      if (part === undefined) return toText(body.bytes);
      if (part === "lost") return { kind: "lost" };
      const isTooLarge = part !== "late" && body.length + part.length > maxBytes;
      if (part === "late" || isTooLarge) {
        void reader?.cancel().catch(ignore);
        return { kind: isTooLarge ? "too-large" : "late" };
      }
      body.push(part);
    }
  }

  respond({ status, headers, body }: HttpResponse): void {
    this.#respond(new Response(body ?? null, { status, headers: { ...headers, ...this.#fields } }));
  }

  fail(respond: HttpResponse): void {
    this.#fields = undefined;
    this.#writer?.destroy();
    this.respond(respond);
  }

  onStream(run: (writer: EventWriter) => void): void {
    (this.#onStream ??= []).push(run);
  }

  stream(headers: HeaderFields): EventWriter {
    const writer = new FetchWriter();
    this.#writer = writer;
    for (const run of this.#onStream ?? []) run(writer);
    // Frameworks log the error of a stream, and a client that leaves is none.
    this.onClose(() => writer.end());
    this.#respond(new Response(writer.readable, { status: 200, headers: { ...headers, ...this.#fields } }));
    return writer;
  }
}

class FetchWriter implements EventWriter {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #utf8 = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #onDrain: (() => void)[] = [];
  #onClose: (() => void)[] = [];
  #isClosed = false;

  constructor() {
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#drain(),
        cancel: () => this.#close(),
      },
      { highWaterMark, size: (chunk) => chunk.length },
    );
  }

  get waiting(): number {
    return highWaterMark - (this.#controller?.desiredSize ?? highWaterMark);
  }

  write(text: string): void {
    if (!this.#isClosed) this.#controller?.enqueue(this.#utf8.encode(text));
  }

  drained(): Promise<void> {
    return this.#isClosed ? Promise.resolve() : new Promise((resolve) => void this.#onDrain.push(resolve));
  }

  end(): void {
    if (this.#isClosed) return;
    this.#controller?.close();
    this.#close();
  }

  destroy(): void {
    if (this.#isClosed) return;
    this.#controller?.error(new Error("The stream was aborted"));
    this.#close();
  }

  onClose(run: () => void): void {
    if (this.#isClosed) queueMicrotask(run);
    else this.#onClose.push(run);
  }

  #drain(): void {
    const waiting = this.#onDrain;
    this.#onDrain = [];
    for (const run of waiting) run();
  }

  #close(): void {
    this.#isClosed = true;
    this.#drain();
    const listeners = this.#onClose;
    this.#onClose = [];
    for (const run of listeners) run();
  }
}

/** True if a `Host` line names the host of the URL, which omits the default port. */
function isSameHost(line: string, { protocol, host }: URL): boolean {
  return line === host || (isUrl(`${protocol}//${line}`) && new URL(`${protocol}//${line}`).host === host);
}

const highWaterMark = 64 * 1024;

function toText(bytes: Uint8Array): Body {
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), bytes };
  } catch {
    return { kind: "not-text" };
  }
}

async function readPart(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  timeout: number,
): Promise<Uint8Array | "lost" | "late" | undefined> {
  if (!reader) return undefined;
  let cancel: Cancel | undefined;
  const late = new Promise<"late">((resolve) => (cancel = startTimer(timeout, () => resolve("late"))));
  try {
    const part = await Promise.race([reader.read(), late]);
    return part === "late" ? part : part.value;
  } catch {
    return "lost";
  } finally {
    cancel?.();
  }
}

function ignore(): void {}
