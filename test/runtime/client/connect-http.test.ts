import { expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { connectHttp, type ConnectHttpOptions } from "../../../runtime/client/connect-http.ts";
import { createUntypedClient } from "../../../runtime/client/create-client.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { statelessRevision, handshakeRevisions, newest } from "../../kit/revisions.ts";

const sessions: Partial<ConnectHttpOptions> = { revisions: handshakeRevisions };

test.each<[string, number, Partial<ConnectHttpOptions>, boolean]>([
  ["is not found", 404, sessions, true],
  ["does not allow the method", 405, sessions, true],
  ["finds the request invalid", 400, { ...sessions, lifecycle: "handshake" }, true],
  ["rejects the credentials", 403, sessions, false],
  ["fails", 500, sessions, false],
  ["fails, which counts as older", 500, { ...sessions, olderServerStatuses: [500] }, true],
  ["is not found, which does not count as older", 404, { ...sessions, olderServerStatuses: [] }, false],
  ["is not found, of a client without sessions", 404, { revisions: [statelessRevision] }, false],
  ["is not found, of a client that opens no session", 404, { revisions, lifecycle: "per-request" }, false],
])("a server that %s (%i) is tried by the older transport, unless it cannot be older: %j, %s", async (...row) => {
  const [, status, options, isTried] = row;
  const methods: (string | undefined)[] = [];
  const connecting = connectHttp("http://localhost/mcp", {
    info: { name: "c", version: "1" },
    revisions: handshakeRevisions,
    ...options,
    fetch: (_url: unknown, request?: RequestInit) => {
      methods.push(request?.method ?? "GET");
      return Promise.resolve(new Response("no", { status: request?.method === "POST" ? status : 418 }));
    },
  });
  const error: unknown = await connecting.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "HttpError", status });
  expect(methods.includes("GET")).toBe(isTried);
});

test("a client that connects to a URL again knows that its server needs sessions", async () => {
  const listener = await serveHttp(createServer({ name: "s", version: "1" }, [newest]), { port: 0 });
  onTestFinished(() => listener.close());
  const client = createUntypedClient({ info: { name: "c", version: "1" }, revisions });
  onTestFinished(() => client.close());
  const methods: unknown[] = [];
  const observe: typeof fetch = (url, request) => {
    if (request?.method === "POST") methods.push(Reflect.get(Object(JSON.parse(String(request.body))), "method"));
    return fetch(url, request);
  };
  for (const _time of [1, 2]) {
    const session = await client.connect((options) => connectHttp(listener.url, { ...options, fetch: observe }));
    await session.close();
  }
  const handshake = ["initialize", "notifications/initialized"];
  expect(methods).toEqual(["server/discover", ...handshake, ...handshake]);
});
