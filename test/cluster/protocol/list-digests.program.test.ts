import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { joinCluster } from "../../../cluster/cluster.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { HttpListener } from "../../../runtime/transport/http-server/listen.ts";
import { initialized, request } from "../../kit/messages.ts";
import { initialize, openStream, send, type Stream } from "../../kit/http-exchange.ts";
import { until } from "../../kit/time.ts";
import { lease, startEngines } from "./nodes.ts";

/* Deploys of a new version of a server whose tools differ. */

type Lists = Pick<Parameters<typeof createServer>[0], "tools" | "listChanged">;

const prompts = [{ name: "ask", get: () => "text" }];

/** Lists of a version of the server. */
const versions: Readonly<Record<"first" | "second", Lists>> = {
  first: { tools: [{ name: "a", execute: () => "" }], listChanged: ["tools", "prompts"] },
  second: {
    tools: [
      { name: "a", execute: () => "" },
      { name: "b", execute: () => "" },
    ],
    listChanged: ["tools", "prompts"],
  },
};

async function startEnginesOfTest(count: number): Promise<readonly Engine[]> {
  const engines = await startEngines(count);
  onTestFinished(() => engines.stop());
  return engines.all;
}

/** Starts a node with a version of the server. */
async function startNode(engine: Engine | undefined, version: keyof typeof versions): Promise<HttpListener> {
  if (!engine) throw new Error("no engine is left");
  const cluster = await joinCluster(engine, { lease, onError: () => {} });
  const server = createServer({ name: "demo", version, prompts, ...versions[version] }, revisions);
  const listener = await serveHttp(server, { cluster, closeTimeout: 50, retry: 20 });
  onTestFinished(async () => {
    await listener.close();
    await cluster.close();
  });
  return listener;
}

async function open({ url }: HttpListener): Promise<Record<string, string>> {
  const opened = await send(url, undefined, { body: initialize("2025-11-25") });
  const headers = { "mcp-session-id": String(opened.headers["mcp-session-id"]), "mcp-protocol-version": "2025-11-25" };
  await send(url, undefined, { body: initialized, headers });
  return headers;
}

/** Lists of which a stream has notified so far. */
function changesOf(stream: Stream): readonly string[] {
  return stream.messages.flatMap((message) => {
    const method = isObject(message) ? String(message.method) : "";
    return method.endsWith("/list_changed") ? [method.replace("notifications/", "")] : [];
  });
}

const toolsChanged = "tools/list_changed";

it("clients are notified when a version with other tools begins to serve, and when the last node of the older one is gone", async () => {
  const engines = await startEnginesOfTest(3);
  const older = await startNode(engines[0], "first");
  const headers = await open(older);
  const before = await openStream(older.url, { method: "GET", headers });
  const { id = "" } = await before.next();
  const newer = await startNode(engines[1], "second");
  await until(() => changesOf(before).length > 0, "the first notification");
  expect(new Set(changesOf(before))).toEqual(new Set([toolsChanged]));
  const after = await openStream(newer.url, {
    method: "GET",
    headers: { ...headers, "last-event-id": before.events.at(-1)?.id ?? id },
  });
  const stateless = await openStream(newer.url, {
    headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" },
    body: request("listen", "subscriptions/listen", {
      notifications: { toolsListChanged: true, promptsListChanged: true },
    }),
  });
  await stateless.message();
  await older.close();
  await until(() => changesOf(after).length > 0 && changesOf(stateless).length > 0, "the last notification");
  // A node whose lease is extended late is noticed twice.
  for (const stream of [after, stateless]) expect(new Set(changesOf(stream))).toEqual(new Set([toolsChanged]));
});

it("a node that stops without a word counts as gone when its lease has ended", async () => {
  const engines = await startEnginesOfTest(2);
  await startNode(engines[0], "first");
  const newer = await startNode(engines[1], "second");
  const stream = await openStream(newer.url, { method: "GET", headers: await open(newer) });
  await delay(100);
  const count = changesOf(stream).length;
  await engines[0]?.close();
  await until(() => changesOf(stream).length > count, "the notification");
  expect(new Set(changesOf(stream))).toEqual(new Set([toolsChanged]));
});

it("nodes with the same lists notify of nothing", async () => {
  const engines = await startEnginesOfTest(3);
  const first = await startNode(engines[0], "first");
  const stream = await openStream(first.url, { method: "GET", headers: await open(first) });
  const second = await startNode(engines[1], "first");
  await startNode(engines[2], "first");
  await second.close();
  await delay(2 * lease);
  expect(changesOf(stream)).toEqual([]);
});
