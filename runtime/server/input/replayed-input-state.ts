import {
  escapeKey,
  isObject,
  under,
  type Awaitable,
  type RequestRow,
  type NotificationRow,
  type Progress,
} from "../../../generated/support.ts";
import { toBase64Url } from "../../framing/base64.ts";
import { attempt, isThenable } from "../../internal/maybe-async.ts";
import type { CallContext, RequestOptions } from "../../protocol/peer/incoming-call.ts";
import { CapabilityError, invalidParams, RpcError, errorCodes } from "../../jsonrpc/errors.ts";
import { firstInputRequests } from "../../protocol/methods/input-request-limit.ts";
import { checkParams } from "../../protocol/peer/outgoing-params.ts";
import { followSignals } from "../../internal/abort-signals.ts";
import { sha256 } from "../../internal/digest.ts";
import { systemClock } from "../../internal/timers.ts";
import { checkConversation, checkInputResponse } from "./check-input.ts";
import { findMissingGate } from "./capability-gates.ts";
import type { RequestStateSettings } from "./request-state-options.ts";
import type { RecordedInputRequest, ClientInput, InputRecord } from "./request-state-record.ts";
import type { ClientRequest, RoundTripInputState, InputContext } from "./input-runner.ts";
import type { Step } from "./once.ts";
import { Steps } from "./steps.ts";
import { RelayedCall } from "../../protocol/peer/relayed-call.ts";

/** State from which a round starts. */
export interface ReplayStart {
  readonly record: InputRecord;
  /** Responses of the client to the input requests of the previous round, by key. */
  readonly responses: { readonly [key: string]: unknown };
  readonly input: ClientInput | undefined;
  readonly settings: Pick<RequestStateSettings, "settleTime" | "stepTime" | "clock">;
  /** Creates the result with the input requests. */
  suspend(inputRequests: object, record: InputRecord): Promise<object>;
}

/**
 * Call of one round, whose handler can be abandoned: its notifications and input requests go through the input state, which is created when it is
 * first read. Most handlers are synchronous and need none.
 */
export class ReplayedCall extends RelayedCall implements InputContext {
  readonly #start: ReplayStart;
  #inputState: ReplayedInputState | undefined;
  #isOver = false;

  constructor(host: CallContext, start: ReplayStart) {
    super(host);
    this.#start = start;
  }

  get inputState(): ReplayedInputState {
    if (this.#inputState) return this.#inputState;
    this.#inputState = new ReplayedInputState(this.call, this.#start);
    if (this.#isOver) this.#inputState.end();
    return this.#inputState;
  }

  get signal(): AbortSignal {
    return this.inputState.signal;
  }

  progress(report: Progress): Promise<void> {
    return this.inputState.notify(() => this.call.progress(report));
  }

  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void> {
    return this.inputState.notify(() => this.call.notify(row, params));
  }

  /** Input requests go through the input state; no other requests can be sent here. */
  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result> {
    return this.call.request(row, params, options);
  }

  /** Runs the handler. Returns its result, or a result with input requests. */
  play(work: (call: CallContext) => Awaitable<object>): Awaitable<object> {
    const outcome = attempt(
      () => work(this),
      (error) => this.#fail(error),
    );
    if (isThenable(outcome) || this.#start.record.questions.length > 0) return this.inputState.settle(outcome);
    this.#end();
    return outcome;
  }

  #fail(error: unknown): never {
    this.#end();
    throw error;
  }

  #end(): void {
    this.#isOver = true;
    this.#inputState?.end();
  }
}

/**
 * One run of a handler, from its beginning to its end or to input requests without a response so far. The handler gets the responses and the results
 * of steps of earlier rounds again. Notifications of earlier rounds are not sent again. An abandoned handler stays where it waits: its signal is
 * aborted, and its context no longer has any effect.
 */
export class ReplayedInputState implements RoundTripInputState {
  readonly input: ClientInput | undefined;
  readonly #host: CallContext;
  readonly #start: ReplayStart;
  /** Input requests of earlier rounds, still to be sent by the handler in this round. */
  #remaining: readonly RecordedInputRequest[];
  // Most handlers send no input requests and use no steps: the members for these are created when they are needed.
  #asked: readonly RecordedInputRequest[] = [];
  #open: Map<string, { readonly method: string; readonly params?: unknown }> | undefined;
  #steps: Steps | undefined;
  #told = 0;
  /** Number of operations the handler runs through its context at this moment. */
  #running = 0;
  /** Recognition of the latest input request. */
  #recognition: Promise<unknown> | undefined;
  #isOver = false;
  #cancelTimer: (() => void) | undefined;
  #end: { resolve(result: object | Promise<object>): void; reject(error: unknown): void } | undefined;
  #stop: AbortController | undefined;
  /** Reason of the abort signal; set when the handler is abandoned. */
  #reason: DOMException | undefined;

  constructor(host: CallContext, start: ReplayStart) {
    this.#host = host;
    this.#start = start;
    this.input = start.input;
    this.#remaining = start.record.questions;
  }

  /** Created when it is first read. */
  get signal(): AbortSignal {
    return (this.#stop ??= this.#createStop()).signal;
  }

  get steps(): Steps {
    return (this.#steps ??= new Steps(this.#start.record.steps));
  }

  /** State for the next round. */
  get record(): InputRecord {
    const { input } = this;
    const told = Math.max(this.#told, this.#start.record.told);
    return { questions: this.#asked, steps: this.steps.outcomes, told, ...(input && { input }) };
  }

  /** Returns the response to an input request. Never settles if there is no response yet. */
  async ask({ row, params, key, accept }: ClientRequest): Promise<unknown> {
    if (this.#isOver) return never();
    if (this.steps.beginning !== undefined) throw new Error(describeNestedInputRequest([this.steps.beginning]));
    checkInputRequest(row, params, this.#host);
    const text = JSON.stringify([key ?? null, row.method, params]);
    const { digest, known } = await this.#track(() => this.#recognize(text));
    if (this.#isOver) return never();
    const asked = known ?? { key: this.#toKey(key ?? row.handler, key === undefined), digest };
    const response = known && readResponse(known, this.#start.responses);
    if (!response) return this.#wait(asked, row, params);
    const { value } = response;
    const issue = checkInputResponse(row, params, value) ?? (accept && (await this.#track(async () => accept(value))));
    if (this.#isOver) return never();
    if (issue) return this.#reject(invalidParams(under("inputResponses", under(escapeKey(asked.key), issue))));
    this.#remember({ ...asked, answer: value });
    // The handler may change its copy of the response.
    return structuredClone(value);
  }

  /** Runs a step once in all rounds of a call. */
  once(key: string, work: (step: Step) => unknown): Promise<unknown> {
    return this.#isOver ? never() : this.#track(() => this.steps.run(key, work));
  }

  /** Sends a notification, unless it was sent in an earlier round. */
  notify(send: () => Promise<void>): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    // A step does not run again in later rounds, so its notifications must not be counted.
    if (this.#steps?.isRunning) return this.#track(send);
    this.#told += 1;
    return this.#told <= this.#start.record.told ? Promise.resolve() : this.#track(send);
  }

  #createStop(): AbortController {
    const stop = new AbortController();
    if (this.#reason) stop.abort(this.#reason);
    // The signal lives as long as the call, and so does the round.
    else followSignals(stop, [this.#host.signal]);
    return stop;
  }

  #remember(asked: RecordedInputRequest): void {
    this.#asked = [...this.#asked, asked];
  }

  #wait(asked: RecordedInputRequest, row: RequestRow, params: unknown): Promise<never> {
    const { key, digest } = asked;
    this.#remember({ key, digest });
    const hasParams = !row.paramsOptional || (isObject(params) && Object.keys(params).length > 0);
    this.#open ??= new Map();
    this.#open.set(key, { method: row.method, ...(hasParams && { params: JSON.parse(JSON.stringify(params)) }) });
    this.#touch();
    return never();
  }

  /** Recognizes input requests one after another, so that they keep the order in which they were sent. */
  #recognize(text: string): Promise<{ readonly digest: string; readonly known: RecordedInputRequest | undefined }> {
    const made = Promise.resolve(this.#recognition).then(async () => {
      const digest = toBase64Url((await sha256(text)).subarray(0, 18));
      return { digest, known: this.#take(digest) };
    });
    this.#recognition = made;
    return made;
  }

  /** Takes the first recorded input request with this digest that was not sent again yet. */
  #take(digest: string): RecordedInputRequest | undefined {
    const found = this.#remaining.find((asked) => asked.digest === digest);
    if (found) this.#remaining = this.#remaining.filter((asked) => asked !== found);
    return found;
  }

  #toKey(name: string, isNumbered: boolean): string {
    const taken = new Set([...this.#remaining, ...this.#asked].map(({ key }) => key));
    for (let number = 1; ; number += 1) {
      const key = isNumbered || number > 1 ? `${name}-${number}` : name;
      if (!taken.has(key)) return key;
    }
  }

  #track<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#running += 1;
    const done = work().finally(() => {
      this.#running -= 1;
      this.#touch();
    });
    // An abandoned handler may no longer await it; this prevents an unhandled rejection.
    done.catch(() => {});
    return done;
  }

  /** Restarts the timer after activity of the handler. If nothing follows, the handler waits only for responses. */
  #touch(): void {
    this.#cancelTimer?.();
    if (this.#isOver || !this.#open) return;
    const { clock = systemClock, settleTime, stepTime } = this.#start.settings;
    if (this.#running > 0) {
      this.#cancelTimer = clock.after(stepTime, () => this.#giveUpStep());
      return;
    }
    const delay = this.#remaining.length > 0 ? Math.max(settleTime, patience) : settleTime;
    const cancel = clock.after(delay, () => this.#suspend());
    // A process without a socket of its own, such as a function of a cloud, must not end before the result.
    cancel.hold?.();
    this.#cancelTimer = cancel;
  }

  #suspend(): void {
    if (this.#hasDiverged()) return void this.#reject(replayMismatch(this.#remaining));
    this.#leave("The request continues when the client retries it with input responses");
    this.#end?.resolve(this.#start.suspend(firstInputRequests(this.#open ?? []), this.record));
  }

  /** Fails the call if a step has not ended: an input request and a step waiting for each other would never end. */
  #giveUpStep(): void {
    const { unfinished } = this.steps;
    if (unfinished.length > 0) void this.#reject(replayDeadlock(unfinished, this.#start.settings.stepTime));
  }

  /** Waits for the outcome of the handler. Returns its result, or a result with input requests. */
  settle(outcome: Awaitable<object>): Promise<object> {
    return new Promise((resolve, reject) => {
      this.#end = { resolve, reject };
      Promise.resolve(outcome).then((result) => this.#finish(result), reject);
    });
  }

  async #finish(result: object): Promise<void> {
    // A handler may end while input requests that it has repeated are not recognized yet, as when the user has declined one of two.
    if (this.#recognition) await this.#recognition;
    if (this.#isOver) return;
    if (this.#hasDiverged()) return void this.#reject(replayMismatch(this.#remaining));
    this.end();
    this.#end?.resolve(result);
  }

  #reject(error: RpcError): Promise<never> {
    this.#leave(error.message);
    this.#end?.reject(error);
    return never();
  }

  /** True if a recorded input request has a response but was not sent again: the handler has taken another path than before. */
  #hasDiverged(): boolean {
    // A handler that returned its input requests reads the responses before it sends any input request.
    return this.input === undefined && this.#remaining.some((asked) => readResponse(asked, this.#start.responses));
  }

  #leave(reason: string): void {
    this.end();
    this.#reason = new DOMException(reason, "AbortError");
    this.#stop?.abort(this.#reason);
  }

  /** Ends the round: from now on its handler has no effect. */
  end(): void {
    this.#isOver = true;
    this.#cancelTimer?.();
  }
}

/** Milliseconds in which a handler has to repeat an earlier input request. Longer work before it belongs in steps of `once`. */
const patience = 1_000;

function never(): Promise<never> {
  return new Promise(() => {});
}

function checkInputRequest(row: RequestRow, params: unknown, { session }: CallContext): void {
  checkParams(row, params);
  const gate = findMissingGate(row, params, session);
  if (gate) throw new CapabilityError(row.method, gate, session);
  checkConversation(row.method, row.handler, params);
}

/** Returns the recorded response, or the one sent by the client for the previous round. */
function readResponse(
  asked: RecordedInputRequest,
  responses: ReplayStart["responses"],
): { readonly value: unknown } | undefined {
  if (Object.hasOwn(asked, "answer")) return { value: asked.answer };
  return Object.hasOwn(responses, asked.key) ? { value: responses[asked.key] } : undefined;
}

/** Returns the message for an input request sent inside a step of `once`. */
function describeNestedInputRequest(steps: readonly string[]): string {
  const names = steps.map((step) => JSON.stringify(step)).join(", ");
  return (
    `The input request was sent inside context.once(${names}), whose callback is not repeated in the round of the response; ` +
    "send input requests before context.once()"
  );
}

/**
 * Creates the error for an input request and a step of `once` waiting for each other.
 *
 * @param time - milliseconds the input request has waited
 */
function replayDeadlock(steps: readonly string[], time: number): RpcError {
  const cause = new Error(
    `${describeNestedInputRequest(steps)}. Otherwise a step took longer than ${time} ms; increase requestState.stepTime`,
  );
  return new RpcError(errorCodes.internalError, "The request is deadlocked", { cause });
}

/**
 * Creates the error for a handler with other input requests than in earlier rounds. A client can only begin again; the handler needs a correction.
 */
function replayMismatch(left: readonly RecordedInputRequest[]): RpcError {
  const keys = left.map(({ key }) => JSON.stringify(key)).join(", ");
  const cause = new Error(
    `The handler did not repeat its previous input requests (${keys}); it runs from the start in every round and ` +
      "must send the same requests each time. Wrap variable values, such as the time, in context.once()",
  );
  return new RpcError(errorCodes.internalError, "The request is not reproducible; send it again without requestState", {
    cause,
  });
}
