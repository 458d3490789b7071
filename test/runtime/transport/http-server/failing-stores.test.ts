import { afterEach, describe, expect, test } from "vitest";
import { MemoryEventStore } from "../../../../runtime/stores/memory-event-store.ts";
import { MemorySessionStore } from "../../../../runtime/stores/memory-session-store.ts";
import { call, initialize } from "../../../kit/http-exchange.ts";
import { log, start, type Rig, type Session } from "../../../kit/http-server.ts";

/* A store that fails once, at any of its operations: the request that needs it has an error response, and the next one is served. */

const open: Rig[] = [];

afterEach(async () => {
  for (const rig of open.splice(0)) await rig.close();
});

const failures: readonly (readonly [name: string, fail: () => unknown])[] = [
  ["throws", () => fail()],
  ["rejects", () => Promise.reject(new Error("the store is gone"))],
];

function fail(): never {
  throw new Error("the store is gone");
}

/** Operation of a store. While it is armed, it fails for ada. */
interface Failure {
  readonly store: "sessions" | "events";
  readonly method: string;
  readonly fail: () => unknown;
  isArmed: boolean;
}

function toFailing<Store extends object>(store: Store, name: Failure["store"], failure: Failure): Store {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown => {
        const isMeant = failure.isArmed && failure.store === name && failure.method === key;
        const [first] = args;
        if (!isMeant || Reflect.get(Object(first), "owner") !== "ada") return Reflect.apply(value, target, args);
        failure.isArmed = false;
        return failure.fail();
      };
    },
  });
}

const ada = { authorization: "ada" };
const bob = { authorization: "bob" };

/** A server with room for one session of ada and one of bob. */
async function serve(failure: Failure, failed: string[]): Promise<Rig> {
  const store = toFailing(new MemorySessionStore({ maxSessionsPerOwner: 1 }), "sessions", failure);
  const tools = {
    talk: async (context: Parameters<typeof log>[0]): Promise<string> => {
      await log(context, "a");
      return "done";
    },
  };
  const rig = await start(tools, {
    sessions: { store },
    events: toFailing(new MemoryEventStore(), "events", failure),
    authenticate: (head) => ({ principal: head.header("authorization") ?? "nobody" }),
    onError: ({ error }) => failed.push(error.message),
  });
  open.push(rig);
  return rig;
}

const openAs = async (rig: Rig, headers: Record<string, string>): Promise<number> =>
  (await rig.send({ body: initialize("2025-11-25"), headers })).status;

/** Opens the session of ada. Returns the request during the failure, which resolves with its HTTP status. */
type Step = (rig: Rig) => Promise<() => Promise<number>>;

const inSession =
  (act: (session: Session) => Promise<{ readonly status: number }>): Step =>
  async (rig) => {
    const session = await rig.open("2025-11-25", ada);
    return async () => (await act(session)).status;
  };

const steps = {
  async opens(rig) {
    // This session is never used: the next one takes its place.
    await openAs(rig, ada);
    return () => openAs(rig, ada);
  },
  calls: inSession((session) => session.post(call(1, "talk"))),
  notifies: inSession((session) => session.post({ jsonrpc: "2.0", method: "notifications/cancelled" })),
  listens: inSession(async (session) => {
    const stream = await session.listen();
    stream.cut();
    return stream;
  }),
  ends: inSession((session) => session.end()),
} satisfies Readonly<Record<string, Step>>;

type Row = readonly [
  store: Failure["store"],
  method: string,
  step: keyof typeof steps,
  statuses: readonly [failing: number, next: number],
];

const rows: readonly Row[] = [
  ["sessions", "add", "opens", [503, 200]],
  ["sessions", "remove", "opens", [503, 200]],
  ["sessions", "find", "calls", [500, 200]],
  ["sessions", "find", "notifies", [500, 202]],
  ["sessions", "find", "listens", [500, 200]],
  ["sessions", "find", "ends", [500, 204]],
  ["sessions", "remove", "ends", [500, 204]],
  ["events", "append", "calls", [200, 200]],
  // The session has ended all the same.
  ["events", "remove", "opens", [200, 200]],
  ["events", "remove", "ends", [204, 404]],
];

describe.each(failures)("a store that %s", (_, cause) => {
  test.each(rows)(
    "a store of %s that fails at %s while a client %s has one error",
    async (store, method, step, statuses) => {
      const failure: Failure = { store, method, fail: cause, isArmed: false };
      const failed: string[] = [];
      const rig = await serve(failure, failed);
      const act = await steps[step](rig);
      failure.isArmed = true;
      expect(await Promise.all([act(), openAs(rig, bob)])).toEqual([statuses[0], 200]);
      expect([failure.isArmed, failed]).toEqual([false, ["the store is gone"]]);
      expect(await act()).toBe(statuses[1]);
      // What the client held is free again.
      if (step === "ends") expect(await openAs(rig, ada)).toBe(200);
      expect(failed).toHaveLength(1);
    },
  );
});
