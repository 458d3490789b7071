import type { Awaitable, EmbeddedRow, RequestRow, Revision, Table } from "../../../generated/support.ts";
import { followSignals } from "../../internal/abort-signals.ts";
import { isThenable } from "../../internal/maybe-async.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { isCapabilityError } from "../../jsonrpc/errors.ts";
import { findMethod } from "../../protocol/methods/method-rows.ts";
import { pause, type Clock } from "../../internal/timers.ts";
import { checkInputRequest, checkFormResponse } from "./check-input.ts";
import { sendInputRequest } from "./send-input-request.ts";
import { InputRequired, type InputRequiredFields } from "./input-required.ts";
import { inputRequestKinds, missingAtRevision, toMissingCapabilityResult } from "./capability-gates.ts";
import { findInputRequest } from "./returned-requests.ts";
import type { ClientInput } from "./request-state-record.ts";
import { createSessionInputState, type InputRunner, type RunHandler } from "./input-runner.ts";

/**
 * Creates rounds for servers with requests to clients: input requests returned by a handler are sent before it is called again. Requests still open
 * at the end of the call are cancelled, because nothing waits for their responses.
 */
export function createRoundTripInputRunner(clock: Clock | undefined): InputRunner {
  const of = createSessionInputState();
  const signals = new CallSignals();
  const complete = (
    first: InputRequired,
    { call, method, work }: { readonly call: CallContext; readonly method: string; readonly work: RunHandler },
  ): Promise<object> => {
    const again = (input: ClientInput): Awaitable<object> => {
      of(call).input = input;
      return work(call);
    };
    const ask = (fields: InputRequiredFields): Promise<ClientInput> =>
      askAll(fields, call, { clock, signal: signals.of(call) });
    return repeatUntilResult(first, again, ask)
      .catch((error: unknown) => toCapabilityResult(error, method, call.revision))
      .finally(() => signals.end(call));
  };
  return {
    of,
    check: checkFormResponse,
    signalOf: (call) => signals.of(call),
    run({ method }, call, work) {
      const finish = (result: object): Awaitable<object> => {
        if (result instanceof InputRequired) return complete(result, { call, method, work });
        signals.end(call);
        return result;
      };
      const outcome = work(call);
      if (!isThenable(outcome)) return finish(outcome);
      return Promise.resolve(outcome).then(finish, (error: unknown) => {
        signals.end(call);
        throw error;
      });
    },
  };
}

/**
 * Returns the result of a tool whose returned input requests need a capability missing at the client: the same result as for an awaited input
 * request. Throws every other error.
 */
function toCapabilityResult(error: unknown, method: string, revision: Revision): object {
  if (method === "tools/call" && isCapabilityError(error)) return toMissingCapabilityResult(error, revision);
  throw error;
}

/** Signals of the input requests of calls. Each is created with the first input request, as most calls send none. */
class CallSignals {
  readonly #open = new WeakMap<CallContext, AbortController>();

  of(call: CallContext): AbortSignal {
    const known = this.#open.get(call);
    if (known) return known.signal;
    const stop = new AbortController();
    followSignals(stop, [call.signal]);
    this.#open.set(call, stop);
    return stop.signal;
  }

  /** Cancels the input requests of an ended call. */
  end(call: CallContext): void {
    const stop = this.#open.get(call);
    if (!stop) return;
    this.#open.delete(call);
    stop.abort(new DOMException("The call has ended", "AbortError"));
  }
}

/** Sends the input requests and runs the handler again until it returns a result. */
async function repeatUntilResult(
  first: InputRequired,
  again: (input: ClientInput) => Awaitable<object>,
  ask: (fields: InputRequiredFields) => Promise<ClientInput>,
): Promise<object> {
  let result: object = first;
  for (let attempt = 1; result instanceof InputRequired; attempt += 1) {
    if (attempt > maxInputRounds) throw new Error(`The handler still requires input after ${maxInputRounds} rounds`);
    result = await again(await ask(result.fields));
  }
  return result;
}

/** Sends input requests, after all of them have been checked: the user must not respond in vain. */
async function askAll(
  { inputRequests, requestState }: InputRequiredFields,
  call: CallContext,
  { clock, signal }: { readonly clock: Clock | undefined; readonly signal: AbortSignal },
): Promise<ClientInput> {
  // Without input requests the handler waits for something else.
  if (!inputRequests) await pause(inputRetryDelay, clock, signal);
  const requests = Object.entries(inputRequests ?? {}).map(([key, { method, params = {} }]) => {
    const row = toRequest(findRowOf(method, call.revision));
    checkInputRequest(row, params, call.session);
    return { row, params, key };
  });
  const parts = { askForTask: undefined, check: checkFormResponse, signal };
  const asked = requests.map(async (one) => [one.key, await sendInputRequest(call, one, parts)] as const);
  const inputResponses = Object.fromEntries(await Promise.all(asked));
  return { inputResponses, ...(requestState !== undefined && { requestState }) };
}

function findRowOf(method: string, revision: Revision): RequestRow | EmbeddedRow {
  const table = inputRequestsOf(revision);
  const kind = Object.values(inputRequestKinds).find((one) => one.method === method);
  if (kind && !findMethod(table, method)) throw missingAtRevision(kind);
  return findInputRequest(table, method);
}

/** Returns the input requests of a revision. Where servers send no requests, a task carries them. */
function inputRequestsOf({ serverRequests, embeddedRequests }: Revision): Table<RequestRow | EmbeddedRow> {
  return { ...embeddedRequests, ...serverRequests };
}

function toRequest(row: RequestRow | EmbeddedRow): RequestRow {
  return { ...row, kind: "request" };
}

/** Maximum number of rounds: a handler with further input requests is regarded as endless. */
const maxInputRounds = 8;

/** Milliseconds before another call of a handler without input requests in its result. */
const inputRetryDelay = 250;
