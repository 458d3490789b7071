import { isObject, type CallOptions, type Progress } from "../../../generated/support.ts";
import { pause, type Clock } from "../../internal/timers.ts";
import type { Session } from "../../protocol/session.ts";
import { followSignals } from "../../internal/abort-signals.ts";
import { answerQuestion, type Answerer } from "./input-request.ts";
import { InputRequiredError } from "../errors.ts";

/** How calls go on for which a server needs input. */
export interface RoundsOptions {
  /** Most rounds of one call. */
  readonly max: number;
  readonly clock: Clock | undefined;
  /** Ends the call, and the questions with it. */
  readonly signal: AbortSignal | undefined;
  /** Who answers in a session; a session may be replaced between two rounds. */
  answerer(): Answerer;
  /** Makes the request once more, with these params besides its own. */
  send(params: object, session: Session): Promise<unknown>;
}

/**
 * Answers what the server asks in the result of a call, and makes the call again with the answers, until its result is complete. A round
 * carries only its own answers, and the state of the server just as it came.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/patterns/mrtr#client-requirements
 */
export async function playRounds(first: unknown, options: RoundsOptions): Promise<unknown> {
  let result = first;
  for (let round = 1; isInputRequired(result); round += 1) {
    if (round > options.max) throw new InputRequiredError(`after ${options.max} rounds`, result);
    const answerer = options.answerer();
    const { inputRequests, requestState } = result;
    const isAsking = isObject(inputRequests) && Object.keys(inputRequests).length > 0;
    // Without a question the server waits for something else.
    if (!isAsking) await pause(betweenRounds, options.clock, options.signal);
    const inputResponses = isObject(inputRequests)
      ? await answerAll(inputRequests, result, { answerer, options })
      : undefined;
    const retry = { ...(inputResponses && { inputResponses }), ...(requestState !== undefined && { requestState }) };
    result = await options.send(retry, answerer.connection.session);
  }
  return result;
}

/** Whether a result asks for input. */
export function isInputRequired(result: unknown): result is Record<string, unknown> {
  return isObject(result) && result.resultType === "input_required";
}

/** Reports of later rounds begin again: only those that go on where earlier ones ended are passed on. */
export function joinProgress(options: CallOptions): { readonly options: CallOptions; next(): void } {
  const { onProgress } = options;
  let last = -Infinity;
  let floor = -Infinity;
  const report = (progress: Progress): void => {
    if (progress.progress <= floor) return;
    last = Math.max(last, progress.progress);
    onProgress?.(progress);
  };
  return {
    options: onProgress ? { ...options, onProgress: report } : options,
    next() {
      floor = last;
    },
  };
}

/** Who answers, and what ends the questions. */
export interface Answering {
  readonly answerer: Answerer;
  readonly options: Pick<RoundsOptions, "signal">;
}

/** Answers every question of a result: all at the same time; the first that fails takes the others off the screen. */
export async function answerAll(
  requests: Readonly<Record<string, unknown>>,
  result: object,
  { answerer, options }: Answering,
): Promise<object> {
  const stop = new AbortController();
  const leave = followSignals(stop, [options.signal]);
  const { signal } = stop;
  try {
    const answers = Object.entries(requests).map(async ([key, request]) => {
      signal.throwIfAborted();
      return [key, await untilAborted(answerQuestion(answerer, { key, request, result }, signal), signal)] as const;
    });
    return Object.fromEntries(await Promise.all(answers));
  } catch (error) {
    stop.abort(error);
    throw error;
  } finally {
    leave();
  }
}

/** A handler may not look at its signal. */
function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Milliseconds. */
const betweenRounds = 250;
