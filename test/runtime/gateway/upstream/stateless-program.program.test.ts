import { afterEach, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject } from "../../../../generated/support.ts";
import { createGateway } from "../../../../runtime/gateway/gateway.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";
import type { AnyContext } from "../../../../runtime/server/protocol-types.ts";
import { createGate, type Gate } from "../../../kit/time.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";
import { readText } from "../invalid-server-gateway.ts";
import {
  elicitForm,
  createProgramOf,
  joinStateless,
  openProgram,
  serveToPrincipals,
  toRetry,
  type Ends,
} from "./programs.ts";

/* A program with stateless requests behind a gateway: only the process that has issued a request state or a task knows it. */

const ends: Ends = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function define(done: Gate = createGate(), begun: () => void = () => {}): Partial<AnyServerDefinition> {
  return {
    tools: [
      { name: "asks", execute: (_args: object, context: AnyContext) => elicitForm(context) },
      { name: "slow", task: { support: "required" }, execute: () => done.opened.then(() => "done") },
      {
        name: "logs",
        async execute(_args: object, { log }: AnyContext) {
          begun();
          await done.opened;
          await log("info", "message");
          return "logged";
        },
      },
    ],
  };
}

const call = (name: string, more: object = {}): object => ({ name, arguments: {}, ...more });

test("calls that overlap continue in the process that has issued their states", async () => {
  const program = createProgramOf(() => define());
  const client = await joinStateless(await openProgram(program, { ends }), ends);
  const requested = await Promise.all([1, 2, 3].map(() => client.request("tools/call", call("asks"))));
  for (const result of requested)
    expect(readText(await client.request("tools/call", call("asks", toRetry(result))))).toBe("accept");
  // That of the calls, and that of the gateway itself.
  expect(program.running()).toBe(2);
});

test("tasks of calls that overlap are found, and their notifications arrive", async () => {
  const done = createGate();
  const received: unknown[] = [];
  const acknowledged: unknown[] = [];
  const client = await joinStateless(
    await openProgram(
      createProgramOf(() => define(done)),
      { ends },
    ),
    ends,
    {
      subscriptionsAcknowledged: ({ notifications }: { readonly notifications: unknown }) =>
        void acknowledged.push(notifications),
      taskStatus: ({ status }: { readonly status: unknown }) => void received.push(status),
    },
  );
  const tasks = await Promise.all([1, 2, 3].map(() => client.request("tools/call", call("slow"))));
  const taskIds = tasks.map((task) => (isObject(task) ? task.taskId : undefined));
  for (const taskId of taskIds)
    expect(await client.request("tasks/get", { taskId })).toMatchObject({ status: "working" });
  client.request("subscriptions/listen", { notifications: { taskIds } }).catch(() => {});
  await expect.poll(() => acknowledged).toEqual([{ taskIds }]);
  done.open();
  await expect.poll(() => received.filter((status) => status === "completed")).toHaveLength(3);
});

test("the process of a task remains while other principals use many processes", async () => {
  const program = createProgramOf(() => define());
  const principals = Array.from({ length: 12 }, (_, index) => `principal-${index}`);
  const post = await serveToPrincipals(await openProgram(program, { ends }), principals, ends);
  const [first = "", ...others] = principals;
  const { taskId } = await post(first, "tools/call", call("slow"));
  for (const principal of others) await post(principal, "tools/list");
  // Eight idle ones, that of the task, and that of the gateway itself.
  await expect.poll(() => program.running()).toBe(10);
  expect(await post(first, "tasks/get", { taskId })).toMatchObject({ status: "working" });
});

test("processes that are kept for later requests are at most maxConnections", async () => {
  const program = createProgramOf(() => define());
  const principals = ["alice", "bob", "carol"];
  const post = await serveToPrincipals(await openProgram(program, { ends, maxConnections: 2 }), principals, ends);
  for (const principal of principals) await post(principal, "tools/call", call("asks"));
  await expect.poll(() => program.running()).toBe(3);
});

test("log messages reach the call that has requested them, and no client if they may belong to another one", async () => {
  const done = createGate();
  let begun = 0;
  const program = createProgramOf(() => define(done, () => void (begun += 1)));
  const gateway = await openProgram(program, { ends });
  const received: string[] = [];
  const join = (name: string): ReturnType<typeof joinStateless> =>
    joinStateless(gateway, ends, { loggingMessage: () => void received.push(name) });
  const [one, other] = [await join("one"), await join("other")];
  const params = call("logs", { _meta: { [meta.logLevel]: "info" } });
  const calls = [one.request("tools/call", params), other.request("tools/call", params)];
  await expect.poll(() => begun).toBe(2);
  done.open();
  await Promise.all(calls);
  await one.request("tools/call", params);
  await expect.poll(() => received.at(-1)).toBe("one");
});

/** Program on stdin and stdout that responds to each call with its process. */
const program = `
  const capabilities = { tools: {} };
  const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  const results = {
    "server/discover": { supportedVersions: ["${statelessRevision.id}"], capabilities },
    "tools/list": { tools: [] },
    "tools/call": { content: [{ type: "text", text: String(process.pid) }] },
  };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    const result = { ...complete, ...results[method], _meta: { "${meta.serverInfo}": { name: "p", version: "1" } } };
    if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  });
`;

test("calls at the same time share the process of a program that the gateway has started by its command", async () => {
  const place = { kind: "command", command: process.execPath, args: ["-e", program] } as const;
  const gateway = await createGateway(place, { revisions });
  ends.push(() => gateway.close());
  const client = await joinStateless(gateway, ends);
  const results = await Promise.all([1, 2, 3].map(() => client.request("tools/call", call("pid"))));
  const pids = new Set(results.map(readText));
  expect(pids.size).toBe(1);
  expect(Number([...pids][0])).toBeGreaterThan(0);
});
