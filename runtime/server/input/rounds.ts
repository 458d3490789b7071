import type { Awaitable, Issue, RequestRow } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import { createOnce } from "./once.ts";
import type { RoundInput } from "./round-record.ts";
import { Steps } from "./steps.ts";

/** How handlers get input of the client at one revision. */
export interface Rounds {
  /** Runs the handler of a request, in as many rounds as it takes. */
  run(request: RoundRequest, call: CallContext, work: Work): Awaitable<object>;
  of(call: CallContext): CallRounds;
  // @part questions, tasks
  /** What is wrong with the answer to a question that was sent as a request. */
  readonly check?: CheckAnswer;
}

/** Finds what is wrong with the answer to a question, if anything is. */
export type CheckAnswer = (row: RequestRow, params: unknown, answer: unknown) => Issue | undefined;

/** A request that may take several rounds. */
export interface RoundRequest {
  readonly method: string;
  readonly params: object;
}

/** Runs a handler from its beginning. */
export type Work = (call: CallContext) => Awaitable<object>;

/** What a handler finds of earlier rounds of its call. */
export interface CallRounds {
  // @part questions, tasks
  /** Answers to what it returned. */
  readonly input: RoundInput | undefined;
  once(key: string, work: () => unknown): Promise<unknown>;
}

/** What a call has that is answered in rounds. */
export interface AskingRounds extends CallRounds {
  ask(row: RequestRow, params: unknown, key: string | undefined): Promise<unknown>;
}

/** A call that is answered in rounds. */
export interface RoundContext extends CallContext {
  readonly round: AskingRounds;
}

/** The round that a call is in, if it is answered in rounds. */
export function readRound(call: CallContext): AskingRounds | undefined {
  return isRoundContext(call) ? call.round : undefined;
}

/** Of a call whose questions are requests. */
export class KeptRounds implements CallRounds {
  readonly #steps = new Steps();
  input: RoundInput | undefined = undefined;

  once(key: string, work: () => unknown): Promise<unknown> {
    return this.#steps.run(key, work);
  }
}

/** Remembers what is kept for a call whose questions are requests. */
export function keepRounds(): (call: CallContext) => KeptRounds {
  return keep(() => new KeptRounds());
}

/** Every call is answered in one go, for programs that ask nothing. */
export function createPlainRounds(): Rounds {
  return {
    run: (_request, call, work) => work(call),
    of: keep(() => ({ input: undefined, once: createOnce() })),
  };
}

function keep<Kept>(create: () => Kept): (call: CallContext) => Kept {
  const known = new WeakMap<CallContext, Kept>();
  return (call) => {
    const kept = known.get(call) ?? create();
    known.set(call, kept);
    return kept;
  };
}

function isRoundContext(call: CallContext): call is RoundContext {
  return "round" in call;
}
