import { Session, type Profiler } from "node:inspector/promises";
import { PassThrough } from "node:stream";
import { z } from "zod";
import { revisions } from "../../../generated/revisions.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { createHttpHandler } from "../../../runtime/server/run/http-handler.ts";
import { createHttpClientTransport } from "../../../runtime/transport/http-client/http-client.ts";
import { StreamTransport } from "../../../runtime/transport/stream-transport.ts";
import { atMost, type Figure } from "./figure.ts";

/** Returns the figures of a call of a tool: function calls and files of the runtime, counted by V8. */
export async function measureCalls(): Promise<Figure[]> {
  const stdio = await countCalls(openStdio());
  const http = await countCalls(await openStatelessHttp());
  return [
    atMost("function calls of a request: stdio", stdio.calls, 120),
    atMost("function calls of a request: stateless HTTP", http.calls, 260),
    atMost("files of a request: stdio", stdio.files, 22),
    atMost("files of a request: stateless HTTP", http.files, 35),
  ];
}

type CoveredFunction = Pick<Profiler.FunctionCoverage, "functionName"> & {
  readonly ranges: readonly Pick<Profiler.CoverageRange, "count">[];
};

/** Counts the calls of functions in `runtime/` and `generated/`, and the files that have them. */
export function countCovered(
  covered: readonly { readonly url: string; readonly functions: readonly CoveredFunction[] }[],
): { readonly calls: number; readonly files: number } {
  const files = covered
    .filter(({ url }) => /\/(?:runtime|generated)\/[^?]*\.ts/.test(url))
    // The loader of TypeScript names functions with one of its own.
    .map(({ functions }) => functions.filter(({ functionName }) => functionName !== "__name"))
    .map((functions) => functions.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0))
    .filter((calls) => calls > 0);
  return { calls: files.reduce((sum, calls) => sum + calls, 0), files: files.length };
}

/** Counts what one of many equal requests takes, after the first ones. */
async function countCalls(
  request: () => Promise<unknown>,
): Promise<{ readonly calls: number; readonly files: number }> {
  for (let count = 0; count < 20; count += 1) await request();
  const inspector = new Session();
  inspector.connect();
  await inspector.post("Profiler.enable");
  await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  for (let count = 0; count < requests; count += 1) await request();
  const { result }: Profiler.TakePreciseCoverageReturnType = await inspector.post("Profiler.takePreciseCoverage");
  await inspector.post("Profiler.stopPreciseCoverage");
  inspector.disconnect();
  const { calls, files } = countCovered(result);
  return { calls: calls / requests, files };
}

const requests = 100;

const info = { name: "house", version: "1.0.0" };

function createMeasured(): Server {
  const inputSchema = z.object({ text: z.string() });
  return createServer({ ...info, tools: [{ name: "echo", inputSchema, execute: ({ text }) => text }] }, revisions);
}

const params = { name: "echo", arguments: { text: "a" } };

/** Returns a function that calls a tool over two byte streams, at the newest revision with sessions. */
function openStdio(): () => Promise<unknown> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const write = (text: string): boolean => output.write(text);
  serve(createMeasured(), new StreamTransport({ input, output, write, pausesInput: true, finish: async () => {} }));
  const protocolVersion = revisions.find(({ lifecycle }) => lifecycle === "handshake")?.id;
  const send = (message: object): boolean => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({ id: "initialize", method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo: info } });
  send({ method: "notifications/initialized" });
  let id = 0;
  return async () => {
    id += 1;
    send({ id, method: "tools/call", params });
    for await (const chunk of output.iterator({ destroyOnReturn: false }))
      if (String(chunk).includes(`"id":${id},`) || String(chunk).includes(`"id":${id}}`)) return chunk;
    return undefined;
  };
}

/** Returns a function that calls a tool over HTTP without a session: it repeats the request of a client. */
async function openStatelessHttp(): Promise<() => Promise<unknown>> {
  const handler = createHttpHandler(createMeasured());
  let last: Request | undefined;
  const transport = createHttpClientTransport("http://127.0.0.1/mcp", {
    fetch: (input, init) => {
      const request = new Request(input, init);
      last = request.clone();
      return handler.fetch(request);
    },
  });
  const connection = await connect(transport, { info, revisions });
  await connection.request("tools/call", params);
  const sent = last;
  if (!sent) throw new Error("The client sent no request");
  const body = await sent.text();
  return async () =>
    (await handler.fetch(new Request(sent.url, { method: "POST", headers: sent.headers, body }))).text();
}
