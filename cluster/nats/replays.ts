import { isObject } from "../../generated/support.ts";
import type { ReplayStore } from "../../runtime/stores/replay-store.ts";
import { parseLimited } from "../engine/parse-limited.ts";
import { NatsRecords } from "./records.ts";
import type { NatsContext } from "./nats-context.ts";

/** Used keys on NATS. A failed operation throws, so that nothing is accepted twice. */
export class NatsReplays implements ReplayStore {
  readonly #context: NatsContext;
  readonly #records: NatsRecords;

  constructor(context: NatsContext) {
    this.#context = context;
    this.#records = new NatsRecords(context, context.names.streams.replays);
  }

  async add(key: string, until: number): Promise<boolean> {
    const { names, ring } = this.#context;
    const [current, ...older] = ring.tags("replay", key).map((tag) => names.replay(tag));
    if (current === undefined || !(await this.#record(current, until))) return false;
    // Nodes that still use the keys in the other order have recorded it under another name.
    const earlier = await Promise.all(older.map((subject) => this.#find(subject)));
    return earlier.every((found) => found === undefined || found.until <= Date.now());
  }

  async #record(subject: string, until: number): Promise<boolean> {
    const found = await this.#find(subject);
    if (found && found.until > Date.now()) return false;
    return (await this.#records.put(subject, JSON.stringify({ until }), found?.sequence ?? 0)) !== "conflict";
  }

  async #find(subject: string): Promise<{ readonly until: number; readonly sequence: number } | undefined> {
    const found = await this.#records.find(subject);
    const value = found && parseLimited(found.text, 100);
    if (!found || !isObject(value) || typeof value.until !== "number") return undefined;
    return { until: value.until, sequence: found.sequence };
  }
}
