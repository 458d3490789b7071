import type { Awaitable, Issue, RequestRow } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { StepRunner } from "../../tasks/step-recorder.ts";
import { readSteps } from "../../tasks/call-scope.ts";
import { createOnce, type Step } from "./once.ts";
import type { ClientInput } from "./request-state-record.ts";
import { Steps } from "./steps.ts";

/** Runs handlers at one revision, and gets them the input they need of the client. */
export interface InputRunner {
  /** Runs the handler of a request, in as many rounds as it needs. */
  run(request: InputRunRequest, call: CallContext, work: RunHandler): Awaitable<object>;
  of(call: CallContext): InputState;
  /** Checks the response to an input request sent as a request. */
  readonly check?: CheckInputResponse;
  /** Returns the signal for the input requests of a call, where they are sent as requests. It is aborted when the call ends. */
  signalOf?(call: CallContext): AbortSignal;
}

/** Returns the problem of the response to an input request, if any. */
export type CheckInputResponse = (row: RequestRow, params: unknown, response: unknown) => Issue | undefined;

/** Request whose handler may need several rounds. */
export interface InputRunRequest {
  readonly method: string;
  readonly params: object;
}

/** Runs a handler from its beginning. */
export type RunHandler = (call: CallContext) => Awaitable<object>;

/** State of a call from its earlier rounds. */
export interface InputState {
  /** Responses to the input requests returned by the handler. */
  readonly input: ClientInput | undefined;
  once(key: string, work: (step: Step) => unknown): Promise<unknown>;
}

/** Input request to a client. */
export interface ClientRequest {
  readonly row: RequestRow;
  readonly params: object;
  /** Key of the input request where it is part of a result. */
  readonly key?: string | undefined;
  /** Returns the problem of a response accepted by the protocol but unusable for the handler, if any. */
  readonly accept?: ((response: unknown) => Awaitable<Issue | undefined>) | undefined;
}

/** State of a call handled in rounds. */
export interface RoundTripInputState extends InputState {
  ask(request: ClientRequest): Promise<unknown>;
}

/** Call handled in rounds. */
export interface InputContext extends CallContext {
  readonly inputState: RoundTripInputState;
}

/** Returns the current round of a call, if the call is handled in rounds. */
export function readInputState(call: CallContext): RoundTripInputState | undefined {
  return isInputContext(call) ? call.inputState : undefined;
}

/** State of a call whose input requests are sent as requests. */
export class SessionInputState implements InputState {
  readonly #steps: StepRunner;
  input: ClientInput | undefined = undefined;

  constructor(steps: StepRunner) {
    this.#steps = steps;
  }

  once(key: string, work: (step: Step) => unknown): Promise<unknown> {
    return this.#steps.run(key, work);
  }
}

/** Creates a function returning the state of a call, for input requests sent as requests. */
export function createSessionInputState(): (call: CallContext) => SessionInputState {
  return keep((call) => new SessionInputState(readSteps(call) ?? new Steps()));
}

/** Creates rounds for programs without input requests: the handler of each call runs once. */
export function createPlainInputRunner(): InputRunner {
  return {
    run: (_request, call, work) => work(call),
    of: keep((call) => {
      const steps = readSteps(call);
      return { input: undefined, once: steps ? (key, step) => steps.run(key, step) : createOnce() };
    }),
  };
}

function keep<Kept>(create: (call: CallContext) => Kept): (call: CallContext) => Kept {
  const known = new WeakMap<CallContext, Kept>();
  return (call) => {
    const kept = known.get(call) ?? create(call);
    known.set(call, kept);
    return kept;
  };
}

function isInputContext(call: CallContext): call is InputContext {
  return "inputState" in call;
}
