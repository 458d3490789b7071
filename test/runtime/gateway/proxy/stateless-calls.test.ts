import { afterEach, expect, test } from "vitest";
import { knownExtensions, withExtensions } from "../../../../runtime/gateway/extensions.ts";
import { PrincipalStates } from "../../../../runtime/gateway/proxy/principal-states.ts";
import { StatelessProxy } from "../../../../runtime/gateway/proxy/stateless-proxy.ts";
import { noClientTasks } from "../../../../runtime/gateway/tasks/client-tasks.ts";
import { ConnectionLimit } from "../../../../runtime/gateway/upstream/connection-limit.ts";
import type { RequestOptions } from "../../../../runtime/protocol/session/request-options.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";
import { createCall, type CallSetup, type Sent } from "../../../kit/calls.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";

/* A call of a client without a session: what is sent to the server for it, and what happens to its connection. */

const [revision = statelessRevision] = withExtensions([statelessRevision], knownExtensions);
const server = createServer({ name: "a", version: "1" }, [statelessRevision]);
const done = { resultType: "complete", content: [] };
const time = "2026-01-01T00:00:00Z";
const started = (ttlMs: number | null): object => ({
  resultType: "task",
  taskId: "t",
  status: "working",
  createdAt: time,
  lastUpdatedAt: time,
  ttlMs,
});

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Creates a proxy in front of a server whose calls of tools have this result. */
function create(result: unknown = done, metadata: object = {}) {
  const requests: { readonly method: string; readonly params: unknown; readonly options: RequestOptions }[] = [];
  const [levels, kept]: [unknown[], number[]] = [[], []];
  let released = 0;
  const upstream = {
    revision,
    async request(method: string, params: unknown, options: RequestOptions) {
      requests.push({ method, params, options });
      if (result instanceof Error) throw result;
      return result;
    },
  };
  const lease = {
    upstream,
    async requestLogs(level: unknown) {
      levels.push(level);
      return metadata;
    },
    keep: (milliseconds: number) => void kept.push(milliseconds),
    release: () => void (released += 1),
  };
  const connections = { take: async () => lease, close: async () => {} };
  const proxy = new StatelessProxy(Object.create(connections), Object.create({ at: () => noClientTasks }), {
    inputTimeout: 5_000,
    limit: new ConnectionLimit(4),
    owners: Object.create({ of: () => ({ key: "everyone" }) }),
    states: new PrincipalStates(),
    logLevels: ["info"],
    onError: ({ error }) => expect.unreachable(error.message),
    hasServerStates: true,
  });
  ends.push(() => proxy.close());
  const row = revision.clientRequests["tools/call"] ?? expect.unreachable("the revision has tools");
  const forward = (params: object = {}, setup: CallSetup = {}): Promise<unknown> =>
    proxy.forward(row, { name: "t", ...params }, createCall(server, revision, setup));
  return { forward, requests, levels, kept, released: () => released };
}

test.each<readonly [string, object, number]>([
  ["not at all after a result", done, 0],
  ["as long as input responses may arrive", { resultType: "input_required", requestState: "s" }, 5_000],
  ["as long as a task", started(7), 7],
  ["for a day, if a task has no end", started(null), 86_400_000],
  ["for a day, if a task lasts longer", started(10 ** 9), 86_400_000],
])("the connection of a call is kept %s", async (_how, result, expected) => {
  const { forward, kept, released } = create(result);
  expect(await forward()).toMatchObject(result);
  await settle();
  expect([kept, released()]).toEqual([[expected], 1]);
});

test("the connection of a call that fails is released, and not kept", async () => {
  const { forward, kept, released } = create(new Error("no"));
  await expect(forward()).rejects.toThrow("no");
  await settle();
  expect([kept, released()]).toEqual([[], 1]);
});

test.each<readonly [object, object, object]>([
  [{}, {}, { name: "t" }],
  [{}, { "a/b": 1 }, { name: "t", _meta: { "a/b": 1 } }],
  [{ _meta: { "c/d": 2 } }, { "a/b": 1 }, { name: "t", _meta: { "a/b": 1, "c/d": 2 } }],
  [{ _meta: { "c/d": 2 } }, {}, { name: "t", _meta: { "c/d": 2 } }],
])("the params %j have the metadata %j of a shared connection as well", async (params, metadata, expected) => {
  const { forward, requests } = create(done, metadata);
  await forward(params);
  expect(requests).toMatchObject([{ method: "tools/call" }]);
  expect(requests[0]?.params).toEqual(expected);
});

test.each([
  ["info", "info"],
  [5, undefined],
  [undefined, undefined],
])("a call with the log level %s requests messages of the level %s", async (level, expected) => {
  const { forward, levels } = create();
  await forward({}, { meta: { [meta.logLevel]: level } });
  expect(levels).toEqual([expected]);
});

test("progress of the server reaches the client, and a task that starts too late is cancelled", async () => {
  const { forward, requests } = create();
  const sent: Sent[] = [];
  await forward({}, { sent });
  const [{ options } = expect.unreachable("the call was sent")] = requests;
  options.onProgress?.({ progress: 1 });
  expect(sent).toEqual([{ method: "notifications/progress", params: { progress: 1 } }]);
  options.onLateResult?.(done);
  options.onLateResult?.(started(null));
  expect(requests.slice(1)).toMatchObject([{ method: "tasks/cancel", params: { taskId: "t" } }]);
});
