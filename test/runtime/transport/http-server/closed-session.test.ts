import { afterEach, expect, test } from "vitest";
import type { EventStore } from "../../../../runtime/stores/event-store.ts";
import { MemoryEventStore } from "../../../../runtime/stores/memory-event-store.ts";
import { MemorySessionStore } from "../../../../runtime/stores/memory-session-store.ts";
import type { SessionKey, SessionRecord, SessionStore } from "../../../../runtime/stores/session-store.ts";
import type { CallContext } from "../../../../runtime/protocol/peer/incoming-call.ts";
import { override } from "../../../kit/override.ts";
import { createGate, until } from "../../../kit/time.ts";
import { call } from "../../../kit/http-exchange.ts";
import { log, start, type Rig } from "../../../kit/http-server.ts";

/** Store that responds to nothing until `settle` is called, and then to all at once, like one whose responses arrive in one chunk. */
class HeldStore implements SessionStore {
  readonly #sessions = new MemorySessionStore();
  readonly #held: { readonly kind: string; readonly run: () => void }[] = [];
  isHolding = false;

  add(record: SessionRecord): Promise<boolean> {
    return this.#later("add", () => this.#sessions.add(record));
  }

  find(key: SessionKey): Promise<SessionRecord | undefined> {
    return this.#later("find", () => this.#sessions.find(key));
  }

  remove(key: SessionKey): Promise<void> {
    return this.#later("remove", () => this.#sessions.remove(key));
  }

  /** Kinds of the operations that wait. */
  get held(): readonly string[] {
    return this.#held.map(({ kind }) => kind);
  }

  /** Responds to those of one kind first, in one turn. */
  settle(first: string): void {
    const held = this.#held.splice(0);
    for (const { run } of held.filter(({ kind }) => kind === first)) run();
    for (const { run } of held.filter(({ kind }) => kind !== first)) run();
  }

  #later<Value>(kind: string, find: () => Value | Promise<Value>): Promise<Value> {
    return new Promise((resolve) => {
      const run = (): void => resolve(find());
      if (this.isHolding) this.#held.push({ kind, run });
      else setImmediate(run);
    });
  }
}

const rigs: Rig[] = [];

afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});

async function serve(...given: Parameters<typeof start>): Promise<Rig> {
  const rig = await start(...given);
  rigs.push(rig);
  return rig;
}

test("requests of a session that a DELETE ends while they are checked are responded to (T-26, T-54)", async () => {
  const store = new HeldStore();
  const rig = await serve({ echo: () => "echo" }, { sessions: { store } });
  const session = await rig.open();
  store.isHolding = true;
  const ended = session.end();
  await until(() => store.held.length === 1, "the search of DELETE");
  store.settle("find");
  await until(() => store.held.includes("remove"), "the removal");
  const posted = session.post(call(1, "echo"));
  await until(() => store.held.length === 2, "the search of POST");
  const listening = rig.stream({ method: "GET", headers: session.headers });
  await until(() => store.held.length === 3, "the search of GET");
  store.settle("find");
  expect((await ended).status).toBe(204);
  expect((await posted).status).toBe(404);
  expect((await listening).status).toBe(404);
});

test.each(["this process", "another process"])(
  "a resumption gets 404 if %s ends the session while the events are read",
  async (where) => {
    const [reading, read] = [createGate(), createGate()];
    const store = new MemorySessionStore();
    const events: EventStore = new MemoryEventStore();
    const after: EventStore["after"] = async (...given) => {
      reading.open();
      await read.opened;
      return events.after(...given);
    };
    const talk = async (context: CallContext): Promise<string> => (await log(context, "one"), "done");
    const options = { sessions: { store }, events: override(events, { after }) };
    const [rig, other] = [await serve({ talk }, options), await serve({ talk }, options)];
    const session = await rig.open();
    const stream = await session.postStream(call(1, "talk"));
    await stream.end();
    const late = session.listen(stream.events[0]?.id);
    await reading.opened;
    const ended = (where === "this process" ? rig : other).send({ method: "DELETE", headers: session.headers });
    expect((await ended).status).toBe(204);
    read.open();
    expect((await late).status).toBe(404);
  },
);
