import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import { createGateway } from "../../../runtime/gateway/gateway.ts";
import type { Channel } from "../../../runtime/jsonrpc/channel.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { createStdioClientTransport } from "../../../runtime/transport/stdio/stdio-client.ts";
import type { HttpListener } from "../../../runtime/transport/http-server/listen.ts";
import { createHttpClientTransport } from "../../../runtime/transport/http-client/http-client.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { statelessRevision, newest as handshake } from "../../kit/revisions.ts";
import { converseExtended } from "./extension-converse.ts";
import { createExtensionJudge, type ExtensionJudge } from "./extension-judge.ts";
import { createExtendedServer } from "./extension-server.ts";
import { createJudge } from "./judge.ts";
import type { Seen } from "./tap.ts";

/*
 * Everything that the extensions of this package send, at every revision over every transport, and through a gateway: each message, setting and
 * member is valid against the pinned declarations of its extension and has no key that those do not know, and what is left is exact by the core's
 * official schema. Who declares no extension gets nothing of any.
 */

let listener: HttpListener;
let extensionJudge: ExtensionJudge;

beforeAll(async () => {
  listener = await serveHttp(createExtendedServer());
  extensionJudge = await createExtensionJudge(["tasks", "skills", "ui"]);
});

afterAll(() => listener.close());

const transports: readonly (readonly [name: string, open: () => Promise<Channel>])[] = [
  [
    "memory",
    async () => {
      const [near, far] = createInMemoryTransports();
      serve(createExtendedServer(), far);
      return near;
    },
  ],
  [
    "stdio",
    async () =>
      createStdioClientTransport({
        command: process.execPath,
        args: ["--import", "tsx", join(import.meta.dirname, "extension-stdio-server.ts")],
        stderr: "ignore",
      }),
  ],
  ["HTTP", async () => createHttpClientTransport(listener.url)],
  ["a gateway before a server without sessions", () => openGateway(statelessRevision)],
  ["a gateway before a server of sessions", () => openGateway(handshake)],
];

async function openGateway(served: Revision): Promise<Channel> {
  const upstream = await serveHttp(createExtendedServer([served]));
  const gateway = await createGateway({ kind: "url", url: upstream.url }, { revisions });
  onTestFinished(async () => {
    await gateway.close();
    await upstream.close();
  });
  const [near, far] = createInMemoryTransports();
  gateway.accept(far);
  return near;
}

const ofSkills = ["skills/list", "skills/get", "resources/directory/read"];
const ofTasks = ["tasks/get", "tasks/update", "tasks/cancel"];

/** Returns the methods that a conversation must contain, so that its exactness means something. */
function expected({ id, lifecycle }: Revision): readonly string[] {
  const skills = ofSkills.flatMap((method) => [method, `${method} result`]);
  const tasks = ofTasks.flatMap((method) => [method, `${method} result`]);
  // Metadata of tools and resources is younger than those revisions.
  const views = id >= "2025-06-18" ? ["UiToolMeta", "UiResourceMeta"] : [];
  if (lifecycle === "handshake") return [...skills, ...views];
  const listening = [
    "TaskSubscriptionNotifications",
    "TaskSubscriptionAcknowledgedNotifications",
    "notifications/tasks",
  ];
  return [...skills, ...views, ...tasks, ...listening, "tools/call task"];
}

test("an additional key in a member of an extension is found", async () => {
  const [near, far] = createInMemoryTransports();
  serve(createExtendedServer(), far);
  const seen = await converseExtended(near, statelessRevision);
  const rest = extensionJudge.judge(seen).rest.length;
  expect(seen.length - rest).toBeGreaterThan(30);
  const problems = extensionJudge.judge(seen.map(withStray)).problems.filter((text) => text.includes("stray"));
  expect(problems.length).toBeGreaterThanOrEqual(seen.length - rest);
});

function withStray({ from, message }: Seen): Seen {
  const { params, result } = isObject(message) ? message : {};
  const more = {
    ...(isObject(params) && { params: { ...params, stray: 1 } }),
    ...(isObject(result) && { result: { ...result, stray: 1 } }),
  };
  return { from, message: isObject(message) ? { ...message, ...more } : message };
}

describe.each(revisions.map((revision) => [revision.id, revision] as const))("at %s", (id, revision) => {
  test.each(transports)("every message of the extensions over %s is exact", async (_name, open) => {
    const seen = await converseExtended(await open(), revision);
    const { problems, used, rest } = extensionJudge.judge(seen);
    expect(problems).toEqual([]);
    expect(expected(revision).filter((use) => !used.has(use))).toEqual([]);
    expect((await createJudge(id)).judge(rest).problems).toEqual([]);
  });

  test.each(transports)("a client over %s without extensions gets no task and no view (XF-01)", async (_name, open) => {
    const { problems, used, rest } = extensionJudge.judge(await converseExtended(await open(), revision, {}));
    expect(problems).toEqual([]);
    const given = ["tools/call task", "notifications/tasks", "tasks/get result", "UiToolMeta"];
    expect(given.filter((use) => used.has(use))).toEqual([]);
    expect((await createJudge(id)).judge(rest).problems).toEqual([]);
  });
});
