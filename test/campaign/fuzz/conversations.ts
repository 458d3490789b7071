import { appendFileSync } from "node:fs";
import fc from "fast-check";
import { converse, type Subject } from "../../fuzz/conversation.ts";
import type { CreateSubject } from "../../fuzz/fuzz.ts";
import type { FuzzRevision } from "../../fuzz/revision.ts";
import { countSteps, createScripts, type Burst, type Script } from "../../fuzz/steps.ts";

/** Size of a conversation. */
export interface ConversationSize {
  /** Scripts whose bursts are sent one after another. A connection that takes long to open has many. */
  readonly scripts: number;
  /** Bursts that are sent together. */
  readonly together: number;
}

/** Creates the script of a seed. */
export function createScript(seed: number, revisions: number, { scripts, together }: ConversationSize): Script {
  const samples = fc.sample(createScripts(revisions), { seed, numRuns: scripts });
  const [first] = samples;
  if (!first) throw new Error("A script needs at least one sample.");
  return {
    ...first,
    bursts: join(
      samples.flatMap(({ bursts }) => bursts),
      together,
    ),
  };
}

/** Outcome of a conversation. */
export interface Outcome {
  readonly messages: number;
  readonly problems: readonly string[];
}

/** Script, and where its messages are noted. */
export interface RunScriptOptions {
  readonly revisions: readonly FuzzRevision[];
  readonly script: Script;
  /** File that receives every message before it is sent. Default: none. */
  readonly trace: string | undefined;
}

/** Sends all messages of a script to a new subject. */
export async function runScript(
  create: CreateSubject,
  { revisions, script, trace }: RunScriptOptions,
): Promise<Outcome> {
  const subject = await create(script, revisions);
  const problems = await converse(trace === undefined ? subject : traceWrites(subject, trace), script.bursts);
  return { messages: countSteps(script), problems };
}

/** Notes messages synchronously: the process may hang or end while it handles them. */
function traceWrites(subject: Subject, trace: string): Subject {
  const { wire } = subject;
  const write = (bytes: Uint8Array): void => {
    appendFileSync(trace, bytes);
    wire.write(bytes);
  };
  return { ...subject, wire: { sent: wire.sent, write, post: (message) => wire.post(message) } };
}

function join(bursts: readonly Burst[], together: number): readonly Burst[] {
  if (together === 1) return bursts;
  return Array.from({ length: Math.ceil(bursts.length / together) }, (_value, index) => {
    const joined = bursts.slice(index * together, (index + 1) * together);
    return { steps: joined.flatMap(({ steps }) => steps), cuts: joined.flatMap(({ cuts }) => cuts).slice(0, 3) };
  });
}
