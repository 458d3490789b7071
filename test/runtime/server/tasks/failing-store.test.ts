import { describe, expect, test } from "vitest";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { forRevisions } from "../../../../runtime/server/for-revisions.ts";
import { MemoryTaskStore } from "../../../../runtime/stores/memory-task-store.ts";
import type { TaskStore } from "../../../../runtime/stores/task-store.ts";
import { serveExtension, type Asked } from "../../tasks/extension-wire.ts";
import { createGate } from "../../../kit/time.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";

/* A task store that fails once, at any of its operations: the request has an error response, the next one is served, and every task ends. */

const { defineTool } = forRevisions<Declarations>([]);

const failures: readonly (readonly [name: string, fail: () => never | Promise<never>])[] = [
  ["throws", () => fail()],
  ["rejects", () => Promise.reject(new Error("the store is gone"))],
];

function fail(): never {
  throw new Error("the store is gone");
}

type Operation = "add" | "find" | "change";

class FailingStore implements TaskStore {
  readonly #store: MemoryTaskStore;
  readonly #fail: () => never | Promise<never>;
  /** Next failing operation of ada. */
  armed: Operation | undefined;

  constructor(fail: () => never | Promise<never>) {
    this.#store = new MemoryTaskStore({ maxTasksPerOwner: 2 });
    this.#fail = fail;
  }

  #perform<Result>(operation: Operation, owner: string, perform: () => Result): Result | Promise<never> {
    if (this.armed !== operation || owner !== "alone:ada") return perform();
    this.armed = undefined;
    return this.#fail();
  }

  add: TaskStore["add"] = (record) => this.#perform("add", record.owner, () => this.#store.add(record));
  find: TaskStore["find"] = (key) => this.#perform("find", key.owner, () => this.#store.find(key));
  change: TaskStore["change"] = (key, ...change) =>
    this.#perform("change", key.owner, () => this.#store.change(key, ...change));
  list: TaskStore["list"] = (owner, range) => this.#store.list(owner, range);
  remove: TaskStore["remove"] = (key) => this.#store.remove(key);
  removeAll: TaskStore["removeAll"] = (owner) => this.#store.removeAll(owner);
}

interface Rig extends Asked {
  readonly store: FailingStore;
  /** Lets the tools go on. */
  readonly open: () => void;
}

function serve(cause: () => never | Promise<never>): Rig {
  const store = new FailingStore(cause);
  const gate = createGate();
  const work = defineTool({
    name: "work",
    task: true,
    async execute() {
      await gate.opened;
      return "done";
    },
  });
  return { ...serveExtension({ tools: [work], tasks: { store, pollInterval: 20 } }), store, open: gate.open };
}

const ada = { principal: "ada" };
const bob = { principal: "bob" };
const error = { code: -32603 };
const begin = ({ request }: Rig, who: typeof ada): Promise<Readonly<Record<string, unknown>>> =>
  request("tools/call", { name: "work" }, who);

/** Asks for a task of somebody until it has ended. */
async function readEnd({ request }: Rig, taskId: unknown, who: typeof ada): Promise<Readonly<Record<string, unknown>>> {
  for (let count = 0; count < 1_000; count += 1) {
    const task = await request("tasks/get", { taskId }, who);
    if (task.status !== "working") return task;
    await settle();
  }
  throw new Error("The task never ended");
}

describe.each(failures)("a task store that %s", (_, cause) => {
  test("a task that could not be added takes no place", async () => {
    const rig = serve(cause);
    rig.store.armed = "add";
    expect(await Promise.all([begin(rig, ada), begin(rig, bob)])).toMatchObject([error, { status: "working" }]);
    expect([await begin(rig, ada), await begin(rig, ada)]).toMatchObject([
      { status: "working" },
      { status: "working" },
    ]);
    expect(await begin(rig, ada)).toHaveProperty("code");
  });

  test.each([
    ["tasks/get", "find"],
    ["tasks/cancel", "find"],
    ["tasks/cancel", "change"],
  ] as const)("a task whose %s fails at %s is served next time", async (method, operation) => {
    const rig = serve(cause);
    const [mine, other] = [await begin(rig, ada), await begin(rig, bob)];
    rig.store.armed = operation;
    const both = [
      rig.request(method, { taskId: mine.taskId }, ada),
      rig.request(method, { taskId: other.taskId }, bob),
    ];
    expect(await Promise.all(both)).toMatchObject([error, { resultType: "complete" }]);
    expect(rig.store.armed).toBeUndefined();
    expect(await rig.request(method, { taskId: mine.taskId }, ada)).toMatchObject({ resultType: "complete" });
    rig.open();
    const status = method === "tasks/cancel" ? "cancelled" : "completed";
    expect(await readEnd(rig, mine.taskId, ada)).toMatchObject({ status });
  });

  test("a task whose outcome could not be stored has failed, and that of another principal has not", async () => {
    const rig = serve(cause);
    const [mine, other] = [await begin(rig, ada), await begin(rig, bob)];
    rig.store.armed = "change";
    rig.open();
    expect(await readEnd(rig, mine.taskId, ada)).toMatchObject({ status: "failed", error });
    expect(await readEnd(rig, other.taskId, bob)).toMatchObject({ status: "completed" });
    const next = await begin(rig, ada);
    expect(await readEnd(rig, next.taskId, ada)).toMatchObject({ status: "completed" });
  });
});
