import { describe, expect, test } from "vitest";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { node, session, storeAll, stream, task } from "./canaries.ts";

/** Engine of a test, and the store that it uses. */
export interface StrangerOptions {
  /** Opens an engine until the function has ended. */
  withEngine(
    options: { readonly prefix: string; readonly encrypt: boolean },
    use: (engine: Engine) => Promise<void>,
  ): Promise<void>;
  /** Replaces all values of an application by a text. */
  corrupt(prefix: string, text: string): Promise<void>;
}

const garbage: readonly (readonly [string, string])[] = [
  ["nothing", ""],
  ["null", "null"],
  ["a number", "-1"],
  ["an array", "[]"],
  ["an empty object", "{}"],
  ["an object of another form", '{"agreement":{"revision":1},"id":7,"tasks":{},"status":"other"}'],
  ["broken JSON", '{"a":'],
  ["a broken encrypted value", "e1.AAAA"],
  ["deeply nested JSON", "[".repeat(200_000)],
  ["a long text", "x".repeat(2 * 1024 * 1024)],
  ["control characters", "\u0000\u001b[2J\r\n"],
];

/** Declares the tests of an engine that finds values which it has not written. */
export function describeStrangers(product: string, { withEngine, corrupt }: StrangerOptions): void {
  describe(`values of strangers in ${product}`, () => {
    const cases = garbage.flatMap(([name, text]) => [false, true].map((encrypt) => ({ name, text, encrypt })));

    test.each(cases)("$name, encrypt: $encrypt: nothing is found, and operations end", async (values) => {
      const { name, text, encrypt } = values;
      const prefix = `stranger-${garbage.findIndex(([other]) => other === name)}-${encrypt}`;
      await withEngine({ prefix, encrypt }, async (engine) => {
        await storeAll(engine);
        await corrupt(prefix, text);
        const key = { id: task.id, owner: task.owner };
        // An empty object is the record of a session before the client and the server have agreed on a revision.
        if (text !== "{}" || encrypt) expect(await settle(engine.sessions.access(session, { node }))).toBe("nothing");
        expect(await settle(engine.events.read(session, { stream: "stream", sequence: -1 }))).toBe("nothing");
        expect(await settle(engine.tasks.find(key))).toBe("nothing");
        expect(await settle(engine.tasks.list(task.owner, { limit: 10 }))).toBe("nothing");
        const change = { updatedAt: task.updatedAt, status: "completed" } as const;
        expect(await settle(engine.tasks.change(key, change))).toBe("nothing");
        expect(await settle(engine.tasks.takeOver?.("node000000001", 10))).toBe("nothing");
        expect(await settle(engine.values?.get("canary-id-value"))).toBe("nothing");
        for (const operate of others(engine)) expect(await settle(operate())).not.toBe("broken");
      });
    });
  });
}

/** Operations whose result may be anything of the right type. */
function others({
  sessions,
  events,
  nodes,
  ledger,
  replays,
  rates,
  revocations,
  values,
}: Engine): readonly (() => unknown)[] {
  return [
    () => sessions.readState(session),
    () => sessions.findNode(session, 1),
    () => sessions.findNodes(session),
    () => sessions.change(session, { logLevel: "debug" }),
    () => sessions.release(session, { node, ids: [1] }),
    () => events.append(session, { ...stream, first: 1, data: ["next"] }),
    () => events.seal(session, { stream: "stream", fence: 0, node, data: [] }),
    () => events.adopt(session, { stream: "stream", fence: 0, node }),
    () => nodes.renew(node, { milliseconds: 1_000, isNew: false }),
    () => nodes.isAlive(node),
    () => nodes.broadcastsAfter("1-0"),
    () => ledger.begin("canary-id-work", "step", 2),
    () => replays.add("canary-id-replay", Date.now() + 60_000),
    () => rates?.take("canary-id-rate", { burst: 5, perSecond: 1 }),
    () => revocations?.list(),
    () => values?.lock("canary-id-value", { holder: "a", milliseconds: 1_000 }),
    () => sessions.end(session),
  ];
}

/** Returns whether an operation has found something, or has ended with an error that is not one of an engine. */
async function settle(operation: unknown): Promise<"something" | "nothing" | "broken"> {
  try {
    const found: unknown = await operation;
    const isEmpty = found === undefined || (Array.isArray(found) && found.length === 0);
    return isEmpty || JSON.stringify(found) === '{"tasks":[]}' ? "nothing" : "something";
  } catch (error) {
    return error instanceof EngineError ? "nothing" : "broken";
  }
}
