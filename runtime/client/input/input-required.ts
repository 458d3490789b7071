import { isObject, type CallOptions, type Progress } from "../../../generated/support.ts";
import { pause, type Clock } from "../../internal/timers.ts";
import type { Session } from "../../protocol/session/session.ts";
import { runConcurrently } from "../../internal/run-concurrently.ts";
import { maxInputRequests } from "../../protocol/methods/input-request-limit.ts";
import { handleInputRequest, type Responder } from "./input-request.ts";
import { InputRequiredError } from "../errors.ts";

/** Options for calls whose server requires input. */
export interface InputRequiredOptions {
  /** Maximum number of rounds of one call. */
  readonly max: number;
  readonly clock: Clock | undefined;
  /** Ends the call and its input requests. */
  readonly signal: AbortSignal | undefined;
  /** Returns the connection and handlers of the session, which may be replaced between two rounds. */
  responder(): Responder;
  /** Sends the request again, with these params in addition to its own. */
  send(params: object, session: Session): Promise<unknown>;
}

/**
 * Responds to the input requests in the result of a call and sends the call again with the responses, until its result is complete. A round
 * carries only its own responses, and the server's request state unchanged.
 *
 * @throws {InputRequiredError} when the result is incomplete after `max` rounds
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow
 */
export async function resolveInputRequired(first: unknown, options: InputRequiredOptions): Promise<unknown> {
  let result = first;
  for (let attempt = 1; isInputRequired(result); attempt += 1) {
    if (attempt > options.max) throw new InputRequiredError(`after ${options.max} rounds`, result);
    const responder = options.responder();
    const { inputRequests, requestState } = result;
    const isAsking = isObject(inputRequests) && Object.keys(inputRequests).length > 0;
    // Without an input request, the server waits for something else.
    if (!isAsking) await pause(inputRetryDelay, options.clock, options.signal);
    const inputResponses = isObject(inputRequests)
      ? await respondToAll(inputRequests, result, { responder, options })
      : undefined;
    const retry = { ...(inputResponses && { inputResponses }), ...(requestState !== undefined && { requestState }) };
    result = await options.send(retry, responder.connection.session);
  }
  return result;
}

/** True if a result requires input. */
export function isInputRequired(result: unknown): result is Record<string, unknown> {
  return isObject(result) && result.resultType === "input_required";
}

/** Joins the progress of several rounds. Reports of later rounds start over: only those beyond the earlier ones are passed on. */
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

/** Handlers of input requests, and the signal to end them. */
export interface RespondOptions {
  readonly responder: Responder;
  readonly options: Pick<InputRequiredOptions, "signal">;
}

/**
 * Responds to every input request of a result concurrently. The first failure aborts the others.
 *
 * @throws {InputRequiredError} when there are too many
 */
export async function respondToAll(
  requests: Readonly<Record<string, unknown>>,
  result: object,
  { responder, options: { signal } }: RespondOptions,
): Promise<object> {
  const entries = Object.entries(requests);
  if (entries.length > maxInputRequests) throw new InputRequiredError(describeExcess(entries.length), result);
  const responses = await runConcurrently(entries, {
    signal,
    run: async ([key, request], stop): Promise<[string, unknown]> => [
      key,
      await handleInputRequest(responder, { key, request, result }, stop),
    ],
  });
  return Object.fromEntries(responses);
}

function describeExcess(count: number): string {
  return `in ${count} requests at once; at most ${maxInputRequests} are handled`;
}

/** Milliseconds between two rounds without an input request. */
const inputRetryDelay = 250;
