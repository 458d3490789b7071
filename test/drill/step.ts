import { isDeepStrictEqual } from "node:util";

/** What a step of the drill has found. */
export interface Step {
  readonly name: string;
  /** Compares a value with its expectation. */
  expect(what: string, found: unknown, expected: unknown): void;
  /** Records a problem unless a condition holds. */
  check(what: string, isRight: boolean, found?: unknown): void;
}

/** A finished step. */
export interface StepResult {
  readonly name: string;
  readonly seconds: number;
  readonly checks: number;
  readonly problems: readonly string[];
}

/** Runs steps one after another, and keeps what they find. */
export class StepRunner {
  readonly results: StepResult[] = [];

  /** Runs a step. Returns its outcome, or `undefined` if it failed: dependent steps are then left out. */
  async run<Outcome>(name: string, work: (step: Step) => Promise<Outcome>): Promise<Outcome | undefined> {
    const start = performance.now();
    const problems: string[] = [];
    let checks = 0;
    const check: Step["check"] = (what, isRight, found) => {
      checks += 1;
      if (!isRight) problems.push(found === undefined ? what : `${what}; found ${toText(found)}`);
    };
    const outcome = await work({
      name,
      check,
      expect: (what, found, expected) =>
        check(`${what}: expected ${toText(expected)}`, isDeepStrictEqual(found, expected), found ?? "nothing"),
    }).catch((error: unknown) => {
      problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return undefined;
    });
    const seconds = (performance.now() - start) / 1_000;
    this.results.push({ name, seconds, checks, problems });
    return outcome;
  }
}

/** Returns a plain table of steps, and below it their problems. */
export function toTable(results: readonly StepResult[]): string {
  const width = Math.max(...results.map(({ name }) => name.length));
  const rows = results.map(({ name, seconds, checks, problems }) => {
    const state = problems.length > 0 ? "failed" : "ok";
    return `${name.padEnd(width)}  ${seconds.toFixed(1).padStart(6)} s  ${String(checks).padStart(4)} checks  ${state}`;
  });
  const problems = results.flatMap(({ name, problems: found }) => found.map((text) => `- ${name}: ${text}`));
  return [...rows, ...problems].join("\n");
}

function toText(value: unknown): string {
  if (value instanceof Error) return value.message;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text === undefined ? String(value) : text.slice(0, 400);
}
