import { PassThrough, type Writable } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createLambdaHandler,
  createLambdaStreamHandler,
  type LambdaContext,
} from "../../../runtime/adapters/lambda.ts";

/** Event of a function URL or an HTTP API, as the documentation of payload format 2.0 shows it. */
function eventOf(parts: Readonly<Record<string, unknown>> = {}, http: Readonly<Record<string, unknown>> = {}): object {
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: "/mcp",
    rawQueryString: "",
    headers: { host: "id.lambda-url.eu-west-1.on.aws", "content-type": "application/json" },
    requestContext: {
      accountId: "anonymous",
      domainName: "id.lambda-url.eu-west-1.on.aws",
      http: { method: "POST", path: "/mcp", protocol: "HTTP/1.1", sourceIp: "192.0.2.1", userAgent: "test", ...http },
      requestId: "id",
      routeKey: "$default",
      stage: "$default",
      timeEpoch: 1_583_348_638_390,
    },
    isBase64Encoded: false,
    ...parts,
  };
}

const context = (left: number): LambdaContext => ({ getRemainingTimeInMillis: () => left });

/** Server that returns what it has received. */
const echo = {
  async fetch(request: Request): Promise<Response> {
    const { method, url, headers } = request;
    return Response.json({ method, url, headers: Object.fromEntries(headers), body: await request.text() });
  },
};

async function received(event: object): Promise<Record<string, unknown>> {
  const { body } = await createLambdaHandler(echo)(event);
  const parsed: Record<string, unknown> = JSON.parse(body);
  return parsed;
}

/** Response that sends one event and stays open until it is cancelled. */
function openStream(onCancel: () => void): Response {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("data: one\n\n")),
    cancel: onCancel,
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

describe("an event of payload format 2.0", () => {
  it.each([
    ["the text of a body", { body: '{"a":"ö"}' }, { method: "POST", body: '{"a":"ö"}' }],
    ["a body in base64", { body: "eyJhIjoiw7YifQ==", isBase64Encoded: true }, { body: '{"a":"ö"}' }],
    ["no body", {}, { body: "" }],
    [
      "path and query",
      { rawPath: "/a%20b", rawQueryString: "x=1&x=%C3%B6" },
      { url: "https://id.lambda-url.eu-west-1.on.aws/a%20b?x=1&x=%C3%B6" },
    ],
    [
      "a path that begins with two slashes",
      { rawPath: "//evil.example" },
      { url: expect.stringMatching(/on\.aws\/\/e/) },
    ],
    ["cookies", { cookies: ["a=1", "b=2"] }, { headers: expect.objectContaining({ cookie: "a=1; b=2" }) }],
    ["headers", { headers: { accept: "a, b" } }, { headers: expect.objectContaining({ accept: "a, b" }) }],
  ])("an event is a request with %s", async (_what, parts, expected) => {
    expect(await received(eventOf(parts))).toMatchObject(expected);
  });

  it("the body of a GET is left out", async () => {
    expect(await received(eventOf({ body: "x" }, { method: "GET" }))).toMatchObject({ method: "GET", body: "" });
  });

  it.each([
    ["a method that the web platform does not have", eventOf({}, { method: "TRACE" })],
    ["a header that is not valid", eventOf({ headers: { "a b": "c" } })],
    ["a value with a line break", eventOf({ headers: { a: "b\r\nc: d" } })],
  ])("an event with %s gets 400", async (_what, event) => {
    expect(await createLambdaHandler(echo)(event)).toMatchObject({ statusCode: 400, body: "Bad Request" });
  });

  it.each([
    [undefined],
    ["text"],
    [{ httpMethod: "POST", path: "/mcp", requestContext: { stage: "prod" } }],
    [eventOf({ rawPath: "@evil.example/" })],
    [eventOf({ requestContext: { http: { method: "GET" } } })],
  ])("another event is rejected: %j", async (event) => {
    await expect(createLambdaHandler(echo)(event)).rejects.toThrow(
      "The event is not of payload format 2.0; call it by a function URL or an HTTP API.",
    );
  });
});

describe("a result that is returned as a whole", () => {
  it.each([
    ["application/json", "{}", "{}", false],
    ["application/problem+json; charset=utf-8", "{}", "{}", false],
    ["text/event-stream", "data: ö\n\n", "data: ö\n\n", false],
    ["image/png", new Uint8Array([0, 255]), "AP8=", true],
  ])("a body of %s is passed on", async (type, sent, body, isBase64Encoded) => {
    const response = new Response(sent, { status: 201, headers: { "content-type": type, "x-other": "1" } });
    const headers = { "content-type": type, "x-other": "1" };
    const handler = createLambdaHandler({ fetch: async () => response });
    expect(await handler(eventOf())).toEqual({ statusCode: 201, headers, cookies: [], body, isBase64Encoded });
  });

  it("cookies are listed on their own, and a response may have no body", async () => {
    const headers = new Headers([
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2, 3"],
    ]);
    const handler = createLambdaHandler({ fetch: async () => new Response(null, { status: 202, headers }) });
    const empty = { statusCode: 202, headers: {}, body: "", isBase64Encoded: false };
    expect(await handler(eventOf())).toEqual({ ...empty, cookies: ["a=1", "b=2, 3"] });
  });

  it("a stream that stays open is ended before the time of the function is over", async () => {
    const onCancel = vi.fn();
    const handler = createLambdaHandler({ fetch: async () => openStream(onCancel) });
    expect(await handler(eventOf(), context(510))).toMatchObject({ statusCode: 200, body: "data: one\n\n" });
    expect(onCancel).toHaveBeenCalledOnce();
  });
});

describe("a result that is streamed", () => {
  afterEach(() => vi.unstubAllGlobals());

  /** The global of the runtime: it sends the head, and eight zeros behind it, at the first write. */
  function stubRuntime(): void {
    vi.stubGlobal("awslambda", {
      streamifyResponse: (run: (event: unknown, stream: Writable, context: LambdaContext) => Promise<void>) => run,
      HttpResponseStream: {
        from(stream: Writable, head: object): Writable {
          const write = stream.write.bind(stream);
          stream.write = (chunk: unknown, ...rest: never[]) => {
            stream.write = write;
            write(`${JSON.stringify(head)}${"\0".repeat(8)}`);
            return write(chunk, ...rest);
          };
          return stream;
        },
      },
    });
  }

  /** Calls the function as the runtime does. Returns the bytes that it sends. */
  async function call(fetch: (request: Request) => Promise<Response>, left = 60_000): Promise<string> {
    stubRuntime();
    const stream = new PassThrough();
    const run = createLambdaStreamHandler({ fetch });
    const done = Reflect.apply(run, undefined, [eventOf(), stream, context(left)]);
    let text = "";
    for await (const chunk of stream) text += String(chunk);
    await done;
    return text;
  }

  it("the head is sent before the parts of the body", async () => {
    const head = { statusCode: 200, headers: { "content-type": "text/event-stream" }, cookies: [] };
    const parts = ["data: one\n\n", "data: ö\n\n"].map((part) => new TextEncoder().encode(part));
    const body = new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
    const sent = await call(async () => new Response(body, { headers: head.headers }));
    expect(sent).toBe(`${JSON.stringify(head)}${"\0".repeat(8)}data: one\n\ndata: ö\n\n`);
  });

  it("a response without a body has a head, too", async () => {
    const sent = await call(async () => new Response(null, { status: 202 }));
    expect(sent).toBe(`${JSON.stringify({ statusCode: 202, headers: {}, cookies: [] })}${"\0".repeat(8)}`);
  });

  it("a stream that stays open is ended before the time of the function is over", async () => {
    const onCancel = vi.fn();
    expect(await call(async () => openStream(onCancel), 510)).toContain("\0data: one\n\n");
    expect(onCancel).toHaveBeenCalledOnce();
  });

  it("a client that is gone cancels the response", async () => {
    stubRuntime();
    const onCancel = vi.fn();
    const stream = new PassThrough();
    const run = createLambdaStreamHandler({ fetch: async () => openStream(onCancel) });
    const done = Reflect.apply(run, undefined, [eventOf(), stream, context(60_000)]);
    stream.once("data", () => stream.destroy());
    await expect(done).rejects.toThrow();
    await expect.poll(() => onCancel).toHaveBeenCalledOnce();
  });

  it("without the global of the runtime, it is returned as a whole", async () => {
    const handler = createLambdaStreamHandler(echo);
    expect(await handler(eventOf({ body: "{}" }))).toMatchObject({ statusCode: 200, isBase64Encoded: false });
  });
});
