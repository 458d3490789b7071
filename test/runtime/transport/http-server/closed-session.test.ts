import { afterEach, expect, test } from "vitest";
import { MemorySessionStore } from "../../../../runtime/stores/memory-session-store.ts";
import type { SessionKey, SessionRecord, SessionStore } from "../../../../runtime/stores/session-store.ts";
import { call, start, until, type Rig } from "./http-rig.ts";

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

let rig: Rig | undefined;

afterEach(async () => rig?.close());

test("requests of a session that a DELETE ends while they are checked are responded to (T-26, T-54)", async () => {
  const store = new HeldStore();
  rig = await start({ echo: () => "echo" }, { sessions: { store } });
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
