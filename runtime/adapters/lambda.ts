import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isObject } from "../../generated/support.ts";
import { startTimer } from "../internal/timers.ts";

/** Handler of the web platform, such as a result of `createHttpHandler`. */
export interface FetchHandler {
  fetch(request: Request): Promise<Response>;
}

/** Part of the context passed by AWS Lambda with an event. */
export interface LambdaContext {
  /** Milliseconds until the function is ended. */
  getRemainingTimeInMillis(): number;
}

/** Result of a function URL or an HTTP API, in payload format 2.0. */
export interface LambdaResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[];
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** Function for AWS Lambda to call with an event of payload format 2.0. */
export type LambdaHandler = (event: unknown, context?: LambdaContext) => Promise<LambdaResult>;

/**
 * Creates a function for AWS Lambda. It returns each response as a whole: for HTTP APIs of API Gateway, and for function URLs with the invoke mode
 * `BUFFERED`. An open stream is ended half a second before the time of the function is over.
 *
 * @returns a function; it rejects events of other payload formats
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads
 *
 * @example
 * ```ts
 * import { createHttpHandler } from "mcp-server-runtime";
 * import { createLambdaHandler } from "mcp-server-runtime/adapters/lambda";
 *
 * export const handler = createLambdaHandler(createHttpHandler(server, { sessions: false, allowedHosts: "any" }));
 * ```
 */
export function createLambdaHandler(server: FetchHandler): LambdaHandler {
  return async (event, context) => {
    const response = await respond(server, event);
    const chunks: Uint8Array[] = [];
    for await (const chunk of openBody(response, context).chunks) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const isText = textual.test(response.headers.get("content-type") ?? "");
    return { ...toHead(response), body: body.toString(isText ? "utf8" : "base64"), isBase64Encoded: !isText };
  };
}

/**
 * Creates a function for AWS Lambda. It streams each response: for function URLs with the invoke mode `RESPONSE_STREAM`. Without the global
 * `awslambda` of the Node.js runtime, such as in tests, it returns each response as a whole. An open stream is ended half a second before the time of
 * the function is over.
 *
 * @returns a function; it rejects events of other payload formats
 * @see https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html
 *
 * @example
 * ```ts
 * import { createHttpHandler } from "mcp-server-runtime";
 * import { createLambdaStreamHandler } from "mcp-server-runtime/adapters/lambda";
 *
 * export const handler = createLambdaStreamHandler(createHttpHandler(server, { sessions: false, allowedHosts: "any" }));
 * ```
 */
export function createLambdaStreamHandler(server: FetchHandler): LambdaHandler {
  if (typeof awslambda === "undefined") return createLambdaHandler(server);
  const { streamifyResponse, HttpResponseStream } = awslambda;
  return streamifyResponse(async (event, stream, context) => {
    const response = await respond(server, event);
    const { chunks, end } = openBody(response, context);
    stream.once("close", end);
    await pipeline(Readable.from(chunks), HttpResponseStream.from(stream, toHead(response)));
  });
}

/** Global of the Node.js runtime of AWS Lambda. */
declare const awslambda: StreamingRuntime | undefined;

interface StreamingRuntime {
  readonly streamifyResponse: (
    run: (event: unknown, stream: Writable, context: LambdaContext) => Promise<void>,
  ) => LambdaHandler;
  readonly HttpResponseStream: { from(stream: Writable, head: ResponseHead): Writable };
}

type ResponseHead = Pick<LambdaResult, "statusCode" | "headers" | "cookies">;

/** Media types of bodies passed on as text; other bodies are passed on in base64. */
const textual = /^(?:$|text\/|application\/(?:[\w.-]+\+)?json)/;

/** Time left to the runtime to pass on the last bytes, in milliseconds. */
const reserve = 500;

async function respond(server: FetchHandler, event: unknown): Promise<Response> {
  const read = readEvent(event);
  if (!read) throw new Error("The event is not of payload format 2.0; call it by a function URL or an HTTP API.");
  let request: Request;
  try {
    request = toRequest(read);
  } catch {
    // A method, a URL or a header that the web platform does not have.
    return new Response("Bad Request", { status: 400, headers: { "content-type": "text/plain" } });
  }
  return server.fetch(request);
}

/** Checked parts of an event. */
interface LambdaEvent {
  readonly method: string;
  /** Host, path and query of the request. */
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly cookies: readonly unknown[];
  readonly body: string | undefined;
  readonly isBase64Encoded: boolean;
}

function readEvent(event: unknown): LambdaEvent | undefined {
  if (!isObject(event) || !isObject(event.requestContext) || !isObject(event.requestContext.http)) return undefined;
  const { rawPath, rawQueryString, headers, cookies, body, isBase64Encoded } = event;
  const { domainName, http } = event.requestContext;
  if (typeof domainName !== "string" || typeof http.method !== "string") return undefined;
  if (typeof rawPath !== "string" || !rawPath.startsWith("/")) return undefined;
  const query = typeof rawQueryString === "string" && rawQueryString !== "" ? `?${rawQueryString}` : "";
  return {
    method: http.method,
    url: `https://${domainName}${rawPath}${query}`,
    headers: isObject(headers) ? headers : {},
    cookies: Array.isArray(cookies) ? cookies : [],
    body: typeof body === "string" ? body : undefined,
    isBase64Encoded: isBase64Encoded === true,
  };
}

/** @throws {TypeError} when a part is not valid in a request of the web platform */
function toRequest({ method, url, headers: lines, cookies, body, isBase64Encoded }: LambdaEvent): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(lines)) if (typeof value === "string") headers.set(name, value);
  // Payload format 2.0 moves cookies out of the headers.
  if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
  if (body === undefined || method === "GET" || method === "HEAD") return new Request(url, { method, headers });
  return new Request(url, { method, headers, body: Buffer.from(body, isBase64Encoded ? "base64" : "utf8") });
}

function toHead({ status, headers }: Response): ResponseHead {
  const { "set-cookie": _cookies, ...others } = Object.fromEntries(headers);
  return { statusCode: status, headers: others, cookies: headers.getSetCookie() };
}

/** Body of a response. */
interface OpenBody {
  /** Parts of the body, until it ends. The empty first part makes a stream send its head. */
  readonly chunks: AsyncGenerator<Uint8Array, void>;
  /** Ends the body early: the server learns that its response is no longer read. */
  end(): void;
}

/** Opens a body. It ends when the time of the function is nearly over. */
function openBody({ body }: Response, context: LambdaContext | undefined): OpenBody {
  const reader = body?.getReader();
  const end = (): void => void reader?.cancel().catch(() => {});
  const left = context?.getRemainingTimeInMillis();
  const cancel = left === undefined || !reader ? undefined : startTimer(Math.max(left - reserve, 0), end);
  async function* read(): AsyncGenerator<Uint8Array, void> {
    try {
      yield new Uint8Array();
      for (;;) {
        const part = await reader?.read();
        if (!part || part.done) return;
        yield part.value;
      }
    } finally {
      cancel?.();
      end();
    }
  }
  return { chunks: read(), end };
}
