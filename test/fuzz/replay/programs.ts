import fc from "fast-check";
import type { Declarations } from "../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import { createClient } from "../../../runtime/client/create-client.ts";
import type { ClientSession } from "../../../runtime/client/session/client-session.ts";
import { ToolError, isToolError } from "../../../runtime/server/errors.ts";
import { createServerAcceptor } from "../../../runtime/server/run/acceptor.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { anything, formParams, type Context } from "../../runtime/server/input/raw-client.ts";

/** One thing that a handler does. */
type Step =
  | { readonly kind: "elicit"; readonly text: string; readonly isNamed: boolean }
  | { readonly kind: "sample"; readonly text: string }
  | { readonly kind: "roots" }
  | { readonly kind: "once"; readonly value: unknown }
  | { readonly kind: "fail" }
  | { readonly kind: "pause"; readonly turns: number }
  /** Takes one of the branches, depending on the trace so far. */
  | { readonly kind: "branch"; readonly branches: readonly Program[] }
  | { readonly kind: "loop"; readonly times: number; readonly body: Program }
  | { readonly kind: "all"; readonly parts: readonly Program[] };

/** Steps of a handler, in order. */
export type Program = readonly Step[];

/** Programs of some depth: questions, branches, loops, several things at once, and effects. */
export const programs: fc.Arbitrary<Program> = fc.letrec<{ program: Program; step: Step }>((tie) => ({
  program: fc.array(tie("step"), { maxLength: 4, depthIdentifier: "program" }),
  step: fc.oneof(
    { depthIdentifier: "program", maxDepth: 3, withCrossShrink: true },
    fc.record({ kind: fc.constant("elicit"), text: fc.constantFrom("a", "b", "c"), isNamed: fc.boolean() }),
    fc.record({ kind: fc.constant("sample"), text: fc.constantFrom("x", "y") }),
    fc.record({ kind: fc.constant("roots") }),
    fc.record({ kind: fc.constant("once"), value: fc.jsonValue({ maxDepth: 1 }) }),
    fc.record({ kind: fc.constant("fail") }),
    fc.record({ kind: fc.constant("pause"), turns: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ kind: fc.constant("branch"), branches: fc.array(tie("program"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ kind: fc.constant("loop"), times: fc.integer({ min: 0, max: 3 }), body: tie("program") }),
    fc.record({ kind: fc.constant("all"), parts: fc.array(tie("program"), { maxLength: 3 }) }),
  ),
})).program;

/** Outcome of a program. */
export interface Outcome {
  readonly result: unknown;
  /** Every effect, as often as it happened. */
  readonly effects: readonly string[];
}

/** Runs programs as handlers of a tool. */
export interface Runner {
  run(program: Program): Promise<Outcome>;
  close(): Promise<void>;
}

/** Creates a runner in a session, which sends input requests, and one with stateless requests. */
export async function createRunners(): Promise<{ readonly session: Runner; readonly stateless: Runner }> {
  return { session: await createRunner(newest), stateless: await createRunner(statelessRevision) };
}

async function createRunner(revision: Revision): Promise<Runner> {
  const running = new Map<number, { readonly program: Program; readonly effects: string[] }>();
  let last = 0;
  const server = createServer(
    {
      name: "programs",
      version: "1",
      tools: [
        {
          name: "run",
          inputSchema: anything,
          async execute(args: unknown, context: Context) {
            const found = isObject(args) && typeof args.id === "number" ? running.get(args.id) : undefined;
            if (!found) throw new Error("no such program");
            const trace: unknown[] = [];
            await play(found.program, { context, effects: found.effects, trace, path: "" });
            return JSON.stringify(trace);
          },
        },
      ],
      requestState: { settleTime: 0 },
    },
    revisions,
  );
  const [near, far] = createInMemoryTransports();
  createServerAcceptor(server)(far);
  const session = await connect(revision, near);
  return {
    async run(program) {
      const id = ++last;
      const effects: string[] = [];
      running.set(id, { program, effects });
      const result = await session.callTool("run", { id }).catch((error: unknown) => String(error));
      running.delete(id);
      return { result: isObject(result) ? result.content : result, effects: effects.sort() };
    },
    close: () => session.close(),
  };
}

/** User, model and folders whose responses depend on the request only. */
function connect(
  revision: Revision,
  transport: ReturnType<typeof createInMemoryTransports>[0],
): Promise<ClientSession<Declarations>> {
  return createClient<Declarations>({
    info: { name: "programs", version: "1" },
    revisions: [revision],
    maxInputRounds: 1_000,
    timeouts: { work: 600_000 },
    roots: [{ uri: "file:///a" }],
    elicitation: {
      form: ({ message }) =>
        message === "c" ? { action: "decline" } : { action: "accept", content: { a: message.repeat(2) } },
    },
    sampling: {
      createMessage: ({ messages }) => ({
        role: "assistant",
        model: "m",
        content: { type: "text", text: String(JSON.stringify(messages).length) },
      }),
    },
  }).connect(transport);
}

interface Play {
  readonly context: Context;
  readonly effects: string[];
  /** Everything that the handler has seen. */
  readonly trace: unknown[];
  /** Position in the program, with iterations. */
  readonly path: string;
}

async function play(program: Program, at: Play): Promise<void> {
  for (const [index, step] of program.entries()) await playStep(step, { ...at, path: `${at.path}/${index}` });
}

async function playStep(step: Step, at: Play): Promise<void> {
  const { context, trace, path } = at;
  switch (step.kind) {
    case "elicit":
      // Equal input requests of two branches cannot be distinguished without a key.
      trace.push(await context.elicit(formParams(step.text), step.isNamed ? { key: path } : {}));
      return;
    case "sample": {
      const content = { type: "text", text: step.text } as const;
      const { content: sampled } = await context.sample({ messages: [{ role: "user", content }], maxTokens: 1 });
      trace.push(sampled);
      return;
    }
    case "roots":
      trace.push(await context.roots());
      return;
    case "once":
      trace.push(await context.once(path, () => effect(at, step.value)));
      return;
    case "fail":
      trace.push(await context.once(path, () => effect(at, undefined)).catch(describeError));
      return;
    case "pause":
      for (let turn = 0; turn < step.turns; turn += 1) await Promise.resolve();
      return;
    case "branch":
      return play(step.branches[JSON.stringify(trace).length % step.branches.length] ?? [], at);
    case "loop":
      for (let time = 0; time < step.times; time += 1) await play(step.body, { ...at, path: `${path}#${time}` });
      return;
    case "all": {
      const traces = step.parts.map((): unknown[] => []);
      const parts = step.parts.map((part, i) => play(part, { ...at, trace: traces[i] ?? [], path: `${path}|${i}` }));
      await Promise.all(parts);
      trace.push(...traces);
      return;
    }
    default:
      return step satisfies never;
  }
}

async function effect({ effects, path }: Play, value: unknown): Promise<unknown> {
  effects.push(path);
  await Promise.resolve();
  if (value === undefined) throw new ToolError(`failed at ${path}`);
  return value;
}

function describeError(error: unknown): string {
  return isToolError(error) ? error.message : `strange: ${String(error)}`;
}
