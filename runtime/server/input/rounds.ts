import type { Awaitable, Issue, RequestRow } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import { createOnce } from "./once.ts";
import type { RoundInput } from "./round-record.ts";
import { Steps } from "./steps.ts";

/** Runs handlers that may need input of the client, at one revision. */
export interface Rounds {
  /** Runs the handler of a request, in as many rounds as it needs. */
  run(request: RoundRequest, call: CallContext, work: Work): Awaitable<object>;
  of(call: CallContext): CallRounds;
  // @part questions, tasks
  /** Checks the response to an input request that was sent as a request. */
  readonly check?: CheckAnswer;
}

/** Returns the problem of the response to an input request, if any. */
export type CheckAnswer = (row: RequestRow, params: unknown, answer: unknown) => Issue | undefined;

/** Request whose handler may need several rounds. */
export interface RoundRequest {
  readonly method: string;
  readonly params: object;
}

/** Runs a handler from its beginning. */
export type Work = (call: CallContext) => Awaitable<object>;

/** State of a call that is kept from its earlier rounds. */
export interface CallRounds {
  // @part questions, tasks
  /** Responses to the input requests that the handler returned. */
  readonly input: RoundInput | undefined;
  once(key: string, work: () => unknown): Promise<unknown>;
}

/** State of a call that is handled in rounds. */
export interface AskingRounds extends CallRounds {
  ask(row: RequestRow, params: unknown, key: string | undefined): Promise<unknown>;
}

/** Call that is handled in rounds. */
export interface RoundContext extends CallContext {
  readonly round: AskingRounds;
}

/** Returns the current round of a call, if the call is handled in rounds. */
export function readRound(call: CallContext): AskingRounds | undefined {
  return isRoundContext(call) ? call.round : undefined;
}

/** State of a call whose input requests are sent as requests. */
export class KeptRounds implements CallRounds {
  readonly #steps = new Steps();
  input: RoundInput | undefined = undefined;

  once(key: string, work: () => unknown): Promise<unknown> {
    return this.#steps.run(key, work);
  }
}

/** Creates a function that returns the state of a call whose input requests are sent as requests. */
export function keepRounds(): (call: CallContext) => KeptRounds {
  return keep(() => new KeptRounds());
}

/** Creates rounds for programs without input requests: the handler of each call runs once. */
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
