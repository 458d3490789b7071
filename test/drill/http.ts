import { isObject, type Revision } from "../../generated/support.ts";
import { connectHttp } from "../../runtime/client/connect-http.ts";
import { createHttpHandler } from "../../runtime/server/run/http-handler.ts";
import type { Server } from "../../runtime/server/create-server.ts";
import { rejected } from "./definition.ts";
import { after, type Drawn } from "./draw.ts";
import type { Step } from "./step.ts";

/** A server over HTTP, without a port, and its stateless revisions. */
export interface HttpTalk {
  readonly step: Step;
  readonly drawn: Drawn;
  readonly server: Server;
  readonly revisions: readonly Revision[];
}

/** Sends requests with and without the headers of each stateless revision, and compares the codes of errors with the tables. */
export async function converseOverHttp(talk: HttpTalk): Promise<void> {
  const handler = createHttpHandler(talk.server);
  try {
    for (const revision of talk.revisions) await expectCodes(talk, revision, (request) => handler.fetch(request));
    await expectHeader(talk, (request) => handler.fetch(request));
  } finally {
    await handler.close();
  }
}

type Fetch = (request: Request) => Promise<Response>;

async function expectCodes({ step, drawn }: HttpTalk, revision: Revision, fetch: Fetch): Promise<void> {
  const isNew = revision.id === after;
  const { name, from, to } = drawn.errorCode;
  const codeOf = (error: keyof typeof usualCodes): number => {
    if (error !== name) return usualCodes[error];
    return isNew ? to : from;
  };
  const list = { revision: revision.id, method: "tools/list" };
  const rejections = [
    ["headerMismatch", { ...list, headers: { "mcp-method": "tools/call" } }],
    ["missingRequiredClientCapability", { ...list, method: "tools/call", params: { name: "confirm" } }],
  ] as const;
  for (const [error, call] of rejections) {
    const { status, code } = await post(fetch, call);
    step.expect(`${error} at ${revision.id}`, { status, code }, { status: 400, code: codeOf(error) });
  }
  if (!isNew) return;
  const unknown = await post(fetch, { ...list, revision: "1999-01-01" });
  step.expect("unsupportedProtocolVersion", unknown.code, codeOf("unsupportedProtocolVersion"));
}

/** Codes of the revision before. */
const usualCodes = {
  headerMismatch: -32020,
  missingRequiredClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const;

/** The server requires the new header, and the client sends it. */
async function expectHeader({ step, drawn, revisions }: HttpTalk, fetch: Fetch): Promise<void> {
  const { method, param, header } = drawn.method;
  const call = { revision: after, method, params: { [param]: "a" } };
  const without = await post(fetch, call);
  step.expect(`${method} without ${header}`, without.status, 400);
  const other = await post(fetch, { ...call, headers: { [header]: "b" } });
  step.expect(`${method} with another ${header}`, other.status, 400);
  const whole = await post(fetch, { ...call, headers: { [header]: "a" } });
  step.expect(`${method} with ${header}`, whole.status, 200);
  const { newError } = drawn;
  const failing = { ...call, params: { [param]: rejected }, headers: { [header]: rejected } };
  const { status, code } = await post(fetch, failing);
  step.expect(newError.name, { status, code }, { status: newError.status, code: newError.code });
  const sent: (string | null)[] = [];
  const connection = await connectHttp("http://localhost/mcp", {
    info: { name: "drill", version: "1" },
    revisions: revisions.filter(({ id }) => id === after),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.headers.get("mcp-method") === method) sent.push(request.headers.get(header));
      return fetch(request);
    },
  });
  const result = await connection.request(method, { [param]: "a" });
  step.check(`${method} of a client over HTTP`, isObject(result) && Array.isArray(result.matches), result);
  step.expect(`${header} of a client`, sent, ["a"]);
  await connection.close();
}

interface Call {
  readonly revision: string;
  readonly method: string;
  readonly params?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a stateless request with the usual headers. */
async function post(
  fetch: Fetch,
  { revision, method, params = {}, headers = {} }: Call,
): Promise<{ readonly status: number; readonly code: number | undefined }> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "drill", version: "1" },
  };
  const name: unknown = Reflect.get(params, "name");
  const usual = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": revision,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": name }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } });
  const request = new Request("http://localhost/mcp", { method: "POST", headers: { ...usual, ...headers }, body });
  const response = await fetch(request);
  const text = await response.text();
  const message: unknown = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
  const error = isObject(message) && isObject(message.error) ? message.error : undefined;
  return { status: response.status, code: typeof error?.code === "number" ? error.code : undefined };
}
