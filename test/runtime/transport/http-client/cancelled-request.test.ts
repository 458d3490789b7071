import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { ClientConnection } from "../../../../runtime/client/connect.ts";
import {
  connectScript,
  isCall,
  openingResult,
  type Received,
  respondJson,
  type Script,
  type ScriptedServer,
  serveScript,
  sessionId,
  usual,
} from "../../../kit/scripted-server.ts";
import { until } from "../../../kit/time.ts";
import type { HttpClientOptions } from "../../../../runtime/transport/http-client/http-client.ts";

let server: ScriptedServer | undefined;
let client: ClientConnection | undefined;

afterEach(async () => {
  await client?.close();
  await server?.close();
});

const call = { name: "delete_everything" };
const isCancellation = ({ message }: Received): boolean => message.method === "notifications/cancelled";

interface Rig {
  readonly server: ScriptedServer;
  readonly client: ClientConnection;
  readonly stop: AbortController;
  /** Outcome of a call that `stop` aborts. */
  readonly calling: Promise<unknown>;
}

async function callWith(script: Script, options: HttpClientOptions = {}): Promise<Rig> {
  const serving = await serveScript(script);
  server = serving;
  const connected = await connectScript(serving, options);
  client = connected;
  const stop = new AbortController();
  const calling = connected.request("tools/call", call, { signal: stop.signal }).catch((error: unknown) => error);
  return { server: serving, client: connected, stop, calling };
}

function countOf({ server: { requests } }: Rig, isOne: (request: Received) => boolean): number {
  return requests.filter(isOne).length;
}

test("a call that is cancelled while a busy server defers it is not sent again, and the server is not notified", async () => {
  let isBusy = true;
  const script: Script = (request, response) => {
    if (!isBusy || !(isCall(request) || isCancellation(request))) return usual;
    return response.writeHead(503, { "retry-after": "0" }).end();
  };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const rig = await callWith(script, { reconnect: { initialDelay: 200, maxDelay: 1_000 } });
  await expect.poll(() => countOf(rig, isCall)).toBe(1);
  await delay(50);
  rig.stop.abort(new Error("enough"));
  expect(await rig.calling).toMatchObject({ message: "enough" });
  isBusy = false;
  await vi.advanceTimersByTimeAsync(1_000);
  await rig.client.request("ping");
  expect([countOf(rig, isCall), countOf(rig, isCancellation)]).toEqual([1, 0]);
});

test("a call that is cancelled during a sign-in is not sent after it", async () => {
  let signedIn = (): void => {};
  const signIn = new Promise<void>((resolve) => (signedIn = resolve));
  let isConnected = false;
  const auth = {
    authorize: async () => {
      if (isConnected) await signIn;
      return {};
    },
  };
  server = await serveScript();
  client = await connectScript(server, { auth, listen: false });
  isConnected = true;
  const stop = new AbortController();
  const calling = client.request("tools/call", call, { signal: stop.signal }).catch((error: unknown) => error);
  await delay(20);
  stop.abort(new Error("enough"));
  expect(await calling).toMatchObject({ message: "enough" });
  signedIn();
  await client.request("ping");
  await delay(20);
  expect(server.requests.filter((request) => isCall(request) || isCancellation(request))).toEqual([]);
});

test("a call that is cancelled while its session is renewed is not sent in the new session", async () => {
  let renew: (() => void) | undefined;
  const script: Script = (request, response) => {
    const { id, method, params } = request.message;
    if (isCall(request)) return response.writeHead(404).end();
    if (method !== "initialize" || !server?.requests.some(isCall)) return usual;
    const headers = { "mcp-session-id": sessionId };
    renew = () => respondJson(response, { jsonrpc: "2.0", id, result: openingResult(params) }, { headers });
    return undefined;
  };
  const rig = await callWith(script);
  await until(() => renew !== undefined);
  rig.stop.abort(new Error("enough"));
  expect(await rig.calling).toMatchObject({ message: "enough" });
  renew?.();
  await rig.client.request("ping");
  await delay(20);
  expect([countOf(rig, isCall), countOf(rig, isCancellation)]).toEqual([1, 0]);
});

test("a call that the server defers after its cancellation is not sent again", async () => {
  let defer: (() => void) | undefined;
  let accept: (() => void) | undefined;
  const rig = await callWith((request, response) => {
    if (isCall(request)) defer ??= () => response.writeHead(503, { "retry-after": "0" }).end();
    else if (isCancellation(request)) accept = () => response.writeHead(202).end();
    else return usual;
    return undefined;
  });
  await until(() => defer !== undefined);
  rig.stop.abort(new Error("enough"));
  await until(() => accept !== undefined);
  defer?.();
  await delay(200);
  accept?.();
  await rig.client.request("ping");
  expect(countOf(rig, isCall)).toBe(1);
});

test.each([
  ["the provider rejects", 401, {}],
  ["leads to another origin", 307, { location: "http://127.0.0.1:1/mcp" }],
])("a response that %s is not kept open: its body is discarded", async (_what, status, headers) => {
  let isClosed = false;
  const script: Script = (request, response) => {
    if (!isCall(request)) return usual;
    response.on("close", () => (isClosed = true));
    return response.writeHead(status, headers).write("x".repeat(100_000));
  };
  const review = ({ status: found }: { readonly status: number }): "accept" => {
    if (found === 401) throw new Error("declined");
    return "accept";
  };
  const rig = await callWith(script, { auth: { authorize: () => ({}), review } });
  expect(await rig.calling).toBeInstanceOf(Error);
  await until(() => isClosed);
});
