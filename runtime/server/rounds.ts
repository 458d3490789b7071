import type { Awaitable, Issue, RequestRow } from "../../generated/support.ts";
import type { CallContext } from "../rpc/call.ts";
import type { RoundInput } from "./round-record.ts";
import { Steps } from "./steps.ts";

/** How handlers get input of the client at one revision. */
export interface Rounds {
  /** Runs the handler of a request, in as many rounds as it takes. */
  run(request: RoundRequest, call: CallContext, work: Work): Awaitable<object>;
  of(call: CallContext): CallRounds;
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

/** Of a call that is answered in one go. */
export class PlainRounds implements CallRounds {
  readonly #steps = new Steps();
  input: RoundInput | undefined = undefined;

  once(key: string, work: () => unknown): Promise<unknown> {
    return this.#steps.run(key, work);
  }
}

/** Remembers what is kept for a call. */
export function keepPlainRounds(): (call: CallContext) => PlainRounds {
  const known = new WeakMap<CallContext, PlainRounds>();
  return (call) => {
    const kept = known.get(call) ?? new PlainRounds();
    known.set(call, kept);
    return kept;
  };
}

/** Every call is answered in one go. */
export function createPlainRounds(): Rounds {
  return { run: (_request, call, work) => work(call), of: keepPlainRounds() };
}

function isRoundContext(call: CallContext): call is RoundContext {
  return "round" in call;
}
