import { expect, onTestFinished, test } from "vitest";
import { connectHttp, type ConnectHttpOptions } from "../../../../runtime/client/connect-http.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import type { Retry } from "../../../../runtime/client/options.ts";
import { inTime, until } from "../../../kit/time.ts";
import { newest } from "../../../kit/revisions.ts";
import {
  isListening,
  isOpening,
  respondEvents,
  respondJson,
  type Script,
  type ScriptedServer,
  serve,
  usual,
} from "../../../kit/scripted-server.ts";

/** Server that declares changes of its tools. Its tool has the name of its version, and its list the given number of pages. */
class ToolServer {
  version = 1;
  /** Response to requests in place of the own one, if it returns none. */
  before: Script = () => usual;
  readonly #pages: number;
  #session = 0;

  constructor(pages = 1) {
    this.#pages = pages;
  }

  /** Forgets every session. */
  forget(): void {
    this.#session += 1;
  }

  readonly script: Script = (request, response) => {
    const { message, headers } = request;
    if (this.before(request, response) !== usual) return undefined;
    const respond = (result: object, more = {}): void =>
      respondJson(response, { jsonrpc: "2.0", id: message.id, result }, { headers: more });
    if (isOpening(request)) {
      this.#session += 1;
      const capabilities = { tools: { listChanged: true } };
      const serverInfo = { name: "s", version: "1" };
      const own = { "mcp-session-id": `s${this.#session}` };
      return respond({ protocolVersion: newest.id, capabilities, serverInfo }, own);
    }
    if (headers["mcp-session-id"] !== `s${this.#session}`) return response.writeHead(404).end();
    if (message.method !== "tools/list") return usual;
    const page = Number(message.params?.["cursor"] ?? 1);
    const tools = [{ name: `v${this.version} ${page}`, inputSchema: { type: "object" } }];
    return respond({ tools, ...(page < this.#pages && { nextCursor: String(page + 1) }) });
  };
}

async function open(
  tools: ToolServer,
  { http = {}, retry }: { readonly http?: Partial<ConnectHttpOptions>; readonly retry?: Retry } = {},
): Promise<{ readonly server: ScriptedServer; readonly session: DefaultClientSession; readonly events: string[] }> {
  const events: string[] = [];
  const server = await serve(tools.script);
  const client = createUntypedClient({
    info: { name: "c", version: "1" },
    revisions: [newest],
    reconnect: { initialDelay: 10, ...(retry && { retry }) },
    onEvent: ({ kind }) => events.push(kind),
  });
  onTestFinished(() => client.close());
  const session = await client.connect((opening) =>
    connectHttp(server.url, { ...opening, reconnect: { initialDelay: 10 }, ...http }),
  );
  return { server, session, events };
}

async function namesOf(session: DefaultClientSession): Promise<readonly unknown[]> {
  const tools = await inTime(session.listTools(), "The list");
  return tools.map((tool) => Reflect.get(tool, "name"));
}

test.each([
  ["the server offers no stream for notifications", true],
  ["the client does not open the stream for notifications", false],
])("lists are not kept when %s", async (_, listen) => {
  const tools = new ToolServer();
  const { session, events } = await open(tools, { http: { listen } });
  expect(await namesOf(session)).toEqual(["v1 1"]);
  tools.version = 2;
  await expect.poll(() => namesOf(session)).toEqual(["v2 1"]);
  expect(events).toEqual([]);
});

test("lists are kept again after a stream for notifications that was lost is open again", async () => {
  const tools = new ToolServer();
  let cut = (): void => {};
  let isDown = false;
  tools.before = (request, response) => {
    if (!isListening(request)) return usual;
    if (isDown) return response.writeHead(503).end();
    cut = () => void response.end();
    return respondEvents(response, "retry: 5\ndata:\n\n");
  };
  const { server, session, events } = await open(tools, { http: { reconnect: { initialDelay: 5, attempts: 2 } } });
  const countLists = (): number => server.requests.filter(({ message }) => message.method === "tools/list").length;
  await until(() => server.requests.some(isListening));
  expect(await namesOf(session)).toEqual(["v1 1"]);
  isDown = true;
  cut();
  await expect.poll(() => events).toEqual(["notificationsLost"]);
  isDown = false;
  tools.version = 2;
  expect(await namesOf(session)).toEqual(["v2 1"]);
  await expect.poll(() => events).toEqual(["notificationsLost", "hearing"]);
  // The list may have changed before the stream was open.
  tools.version = 3;
  expect(await namesOf(session)).toEqual(["v3 1"]);
  const count = countLists();
  expect(await namesOf(session)).toEqual(["v3 1"]);
  expect(countLists()).toBe(count);
});

test("lists are read again after a session that could not be renewed", async () => {
  const tools = new ToolServer();
  let cut = (): void => {};
  tools.before = (request, response) => {
    if (!isListening(request) || request.headers["mcp-session-id"] !== "s1" || tools.version > 1) return usual;
    cut = () => void response.end();
    return respondEvents(response, "id: e\nretry: 5\ndata:\n\n");
  };
  const { server, session } = await open(tools);
  await until(() => server.requests.some(isListening));
  expect(await namesOf(session)).toEqual(["v1 1"]);
  // The server restarts without its sessions, and is not ready for the first `initialize`.
  tools.version = 2;
  tools.before = (request, response) => (isOpening(request) ? response.writeHead(503).end() : usual);
  tools.forget();
  cut();
  await until(() => server.requests.filter(isOpening).length === 2);
  tools.before = () => usual;
  await expect.poll(() => namesOf(session)).toEqual(["v2 1"]);
});

test.each(["never", "safe"] as const)(
  "a list of several pages is read from its start in the next session, with the retry policy %s (N-02)",
  async (retry) => {
    const tools = new ToolServer(2);
    const { session } = await open(tools, { retry });
    tools.forget();
    expect(await namesOf(session)).toEqual(["v1 1", "v1 2"]);
  },
);
