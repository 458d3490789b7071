import { afterEach, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import type { Revision } from "../../../../generated/support.ts";
import { createGateway } from "../../../../runtime/gateway/gateway.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import type { HttpListener } from "../../../../runtime/transport/http-server/listen.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { joinGateway } from "../connect-client.ts";
import { readText } from "../invalid-server-gateway.ts";
import { joinStateless, type Ends } from "./programs.ts";

const ends: Ends = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Serves one tool at a revision, and returns how it was called. */
function listen(revision: Revision, port: number): Promise<HttpListener> {
  const tools = [{ name: "id", execute: () => revision.id }];
  return serveHttp(createServer({ name: "server", version: "1", tools, onError: () => {} }, [revision]), { port });
}

test("a server that returns to a revision with sessions is connected to again, and serves clients with and without sessions", async () => {
  const before = await listen(statelessRevision, 0);
  const gateway = await createGateway({ kind: "url", url: before.url }, { revisions, onError: () => {} });
  ends.push(() => gateway.close());
  const client = await joinStateless(gateway, ends);
  const session = await joinGateway(gateway, newest);
  const params = { name: "id", arguments: {} };
  expect(readText(await client.request("tools/call", params))).toBe(statelessRevision.id);
  expect(readText(await session.request("tools/call", params))).toBe(statelessRevision.id);
  await before.close();
  const after = await listen(newest, Number(new URL(before.url).port));
  ends.push(() => after.close());
  const toState = async (): Promise<string> => {
    await session.request("tools/call", params).catch(() => {});
    return session.state;
  };
  // The session was one with the server, and its client has to open another one.
  await expect.poll(toState).toBe("DISCONNECTED");
  const call = (): Promise<string> => client.request("tools/call", params).then(readText, String);
  await expect.poll(call).toBe(newest.id);
});
