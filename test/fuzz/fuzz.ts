import fc from "fast-check";
import { converse, type OpenFuzzConnection, type Subject } from "./conversation.ts";
import type { FuzzRevision } from "./revision.ts";
import { countSteps, createScripts, type Script } from "./steps.ts";

/** Makes one end of a connection that can be talked to. Connections are in memory unless another `open` is given. */
export type CreateSubject = (
  script: Script,
  revisions: readonly FuzzRevision[],
  open?: OpenFuzzConnection,
) => Promise<Subject>;

/** Size and seed of a run. */
export interface FuzzOptions {
  readonly revisions: readonly FuzzRevision[];
  readonly messages: number;
  readonly seed: number;
  /** True if conversations take long: there are fewer between two looks at the number of messages, and the one that goes wrong is not shortened. */
  readonly isSlow?: boolean;
}

/** The seed of the environment (`FUZZ_SEED`), or another one every time. */
export function readSeed(): number {
  const given = Number(process.env["FUZZ_SEED"] ?? NaN);
  return Number.isSafeInteger(given) ? given : Date.now() % 2 ** 31;
}

/** Number of messages of a long run: `FUZZ_MESSAGES` of the environment, or a million. */
export function readMessages(): number {
  const given = Number(process.env["FUZZ_MESSAGES"] ?? NaN);
  return Number.isSafeInteger(given) && given > 0 ? given : 1_000_000;
}

/**
 * Number of messages in a long run of hostile servers: `FUZZ_HOSTILE_MESSAGES` of the environment, or a twentieth of the others. Each goes through
 * pipes or sockets, which takes longer than memory.
 */
export function readHostileMessages(): number {
  const given = Number(process.env["FUZZ_HOSTILE_MESSAGES"] ?? NaN);
  return Number.isSafeInteger(given) && given > 0 ? given : readMessages() / 20;
}

/** Sends a number of messages in many conversations, and reports the shortest one that fails. Returns the number of sent messages. */
export async function fuzz(
  create: CreateSubject,
  { revisions, messages, seed, isSlow = false }: FuzzOptions,
): Promise<number> {
  let sent = 0;
  const rejected: unknown[] = [];
  const note = (reason: unknown): void => void rejected.push(reason);
  process.on("unhandledRejection", note);
  const property = fc.asyncProperty(createScripts(revisions.length), async (script) => {
    sent += countSteps(script);
    const subject = await create(script, revisions);
    const problems = await converse(subject, script.bursts);
    const lost = rejected.splice(0).map((reason) => `nobody handles ${String(reason)}`);
    if (problems.length + lost.length > 0) throw new Error([...problems, ...lost].join("\n"));
  });
  try {
    for (let round = 0; sent < messages; round += 1) {
      await fc.assert(property, { seed: seed + round, numRuns: isSlow ? 10 : 100, endOnFailure: isSlow });
    }
  } finally {
    process.removeListener("unhandledRejection", note);
  }
  return sent;
}
