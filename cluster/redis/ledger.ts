import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { Ledger, LedgerEntry, StepEnd } from "../../runtime/stores/ledger.ts";
import { parseLimited } from "../engine/parse-limited.ts";
import { toTexts } from "./replies.ts";
import { beginStep, finishStep } from "./scripts/ledger.ts";
import { findExisting, type StoreContext } from "./store-context.ts";

/** Steps of work on Redis. Names of scopes and steps are only stored as pseudonyms. */
export class RedisLedger implements Ledger {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  async begin(scope: string, step: string, attempt: number): Promise<LedgerEntry> {
    const { commands, limits, ring, health } = this.#context;
    const { key, field } = await this.#place(scope, step);
    const args = [field, String(attempt), crypto.randomUUID(), String(limits.ledgerTtl), String(limits.maxSteps)];
    const [token, sealed] = toTexts(await commands.runDurably(beginStep, [key], args));
    if (token === undefined) return { state: "fenced" };
    if (sealed === undefined) return { state: "new", token };
    const text = ring.open(`${key}:${field}`, sealed);
    const outcome = text === undefined ? undefined : parseLimited(text, limits.maxTaskSize);
    if (outcome !== undefined) return { state: "done", token, outcome };
    health.countInvalid();
    throw new EngineError("The outcome of a step cannot be read; it is not run again");
  }

  async finish(scope: string, step: string, { attempt, outcome }: StepEnd): Promise<"kept" | "fenced"> {
    const { commands, limits, ring } = this.#context;
    const { key, field } = await this.#place(scope, step);
    const text = JSON.stringify(outcome ?? null);
    if (text.length > limits.maxTaskSize)
      throw new Error(`The outcome of a step has ${text.length} characters; return less`);
    const args = [field, String(attempt), ring.seal(`${key}:${field}`, text)];
    return (await commands.runDurably(finishStep, [key], args)) === 1 ? "kept" : "fenced";
  }

  async remove(scope: string): Promise<void> {
    const { commands, names, ring } = this.#context;
    for (const tag of ring.tags("ledger", scope)) {
      const key = names.ledger(tag);
      await commands.send(key, ["DEL", key]);
    }
  }

  async #place(scope: string, step: string): Promise<{ readonly key: string; readonly field: string }> {
    const { commands, names, ring } = this.#context;
    const tags = ring.tags("ledger", scope);
    const known = tags.length > 1 ? await findExisting(commands, tags, (tag) => names.ledger(tag)) : undefined;
    const tag = known ?? tags[0];
    // Steps have the pseudonym of the same key as their work.
    const field = ring.tags("step", step, scope)[tags.indexOf(tag)] ?? "";
    return { key: names.ledger(tag), field };
  }
}
