import { isObject } from "../../generated/support.ts";
import { parseLimited } from "../engine/parse-limited.ts";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { Ledger, LedgerEntry, StepEnd } from "../../runtime/stores/ledger.ts";
import { mostAttempts, type NatsContext } from "./nats-context.ts";
import { NatsRecords } from "./records.ts";

/** Steps of work on NATS. The steps of one piece of work are one value. Names of scopes and steps are only stored as pseudonyms. */
export class NatsLedger implements Ledger {
  readonly #context: NatsContext;
  readonly #records: NatsRecords;

  constructor(context: NatsContext) {
    this.#context = context;
    this.#records = new NatsRecords(context, context.names.streams.ledger);
  }

  begin(scope: string, step: string, attempt: number): Promise<LedgerEntry> {
    return this.#change({ scope, step }, (work, name) => {
      if (attempt < work.attempt) return { result: { state: "fenced" } };
      const { maxSteps } = this.#context.limits;
      const known = work.steps.find((other) => other.name === name);
      if (!known && work.steps.length >= maxSteps)
        throw new EngineError(`The work has ${maxSteps} steps already; use fewer`);
      const begun = known ?? { name, token: crypto.randomUUID() };
      const result = toEntry(begun);
      if (known && attempt === work.attempt) return { result };
      return { result, work: { attempt, steps: known ? work.steps : [...work.steps, begun] } };
    });
  }

  finish(scope: string, step: string, { attempt, outcome = null }: StepEnd): Promise<"kept" | "fenced"> {
    const { limits } = this.#context;
    const size = JSON.stringify(outcome).length;
    if (size > limits.maxTaskSize) throw new Error(`The outcome of a step has ${size} characters; return less`);
    return this.#change({ scope, step }, (work, name) => {
      const known = work.steps.find((other) => other.name === name);
      if (!known || attempt < work.attempt) return { result: "fenced" };
      if (known.end) return { result: known.end.attempt === attempt ? "kept" : "fenced" };
      const ended = { ...known, end: { attempt, outcome } };
      return { result: "kept", work: { ...work, steps: work.steps.map((other) => (other === known ? ended : other)) } };
    });
  }

  async remove(scope: string): Promise<void> {
    const { names, ring } = this.#context;
    for (const tag of ring.tags("ledger", scope)) await this.#records.remove(names.ledger(tag));
  }

  /** Replaces the steps of a scope, if a function returns new ones, and returns its result. The function receives the pseudonym of the step. */
  async #change<Result>(
    { scope, step }: { readonly scope: string; readonly step: string },
    change: (work: Work, name: string) => Change<Result>,
  ): Promise<Result> {
    const { ring, places } = this.#context;
    const { subject, tag } = await places.step(scope, step);
    for (let tries = 0; tries < mostAttempts; tries += 1) {
      const found = await this.#records.find(subject);
      const { result, work } = change(found ? this.#open(subject, found.text) : noWork, tag);
      if (!work) return result;
      const text = ring.seal(subject, JSON.stringify(work));
      if ((await this.#records.put(subject, text, found?.sequence ?? 0)) !== "conflict") return result;
    }
    throw new EngineError("The steps are changed by others all the time; try again later");
  }

  #open(subject: string, text: string): Work {
    const { ring, health, limits } = this.#context;
    const clear = ring.open(subject, text);
    const most = sizeAround + limits.maxSteps * (sizeAround + limits.maxTaskSize);
    const value = clear === undefined ? undefined : parseLimited(clear, most);
    if (isWork(value)) return value;
    health.countInvalid();
    throw new EngineError("The steps of work cannot be read; they are not run again");
  }
}

/** Result of a change, and the new steps if there are any. */
interface Change<Result> {
  readonly result: Result;
  readonly work?: Work;
}

interface Work {
  /** Latest attempt to have begun a step. */
  readonly attempt: number;
  readonly steps: readonly Step[];
}

interface Step {
  readonly name: string;
  readonly token: string;
  readonly end?: { readonly attempt: number; readonly outcome: unknown };
}

/** Characters around the outcome of a step (its pseudonym, token and attempt), and around all steps, at most. */
const sizeAround = 256;

const noWork: Work = { attempt: 0, steps: [] };

function toEntry({ token, end }: Step): LedgerEntry {
  return end ? { state: "done", token, outcome: end.outcome } : { state: "new", token };
}

function isWork(value: unknown): value is Work {
  return (
    isObject(value) && Number.isSafeInteger(value.attempt) && Array.isArray(value.steps) && value.steps.every(isStep)
  );
}

function isStep(value: unknown): boolean {
  return isObject(value) && typeof value.name === "string" && typeof value.token === "string";
}
