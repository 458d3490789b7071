import type { Awaitable, EmbeddedRow, RequestRow, Revision, Table } from "../../../generated/support.ts";
import { chain } from "../../internal/maybe-async.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { pause, type Clock } from "../../internal/timers.ts";
import { checkInputResponse } from "./check-response.ts";
import { sendInputRequest } from "./send-input-request.ts";
import { InputRequired, type InputRequiredFields } from "./input-required.ts";
import { findInputRequest } from "./returned-requests.ts";
import type { ClientInput } from "./request-state-record.ts";
import { createSessionInputState, type InputRunner } from "./input-runner.ts";

/** Creates rounds for servers that may send requests: input requests that a handler returned are sent before it is called again. */
export function createRoundTripInputRunner(clock: Clock | undefined): InputRunner {
  const of = createSessionInputState();
  return {
    of,
    check: checkInputResponse,
    run: (_request, call, work) =>
      chain(work(call), (result) => {
        if (!(result instanceof InputRequired)) return result;
        const again = (input: ClientInput): Awaitable<object> => {
          of(call).input = input;
          return work(call);
        };
        return repeatUntilResult(result, again, (fields) => askAll(fields, call, clock));
      }),
  };
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

async function askAll(fields: InputRequiredFields, call: CallContext, clock: Clock | undefined): Promise<ClientInput> {
  const { inputRequests, requestState } = fields;
  // Without input requests the handler waits for something else.
  if (!inputRequests) await pause(inputRetryDelay, clock, call.signal);
  const asked = Object.entries(inputRequests ?? {}).map(async ([key, { method, params = {} }]) => {
    const row = toRequest(findInputRequest(inputRequestsOf(call.revision), method));
    return [
      key,
      await sendInputRequest(call, { row, params, key }, { askForTask: undefined, check: checkInputResponse }),
    ] as const;
  });
  const inputResponses = Object.fromEntries(await Promise.all(asked));
  return { inputResponses, ...(requestState !== undefined && { requestState }) };
}

/** Returns the input requests of a revision. Where servers send no requests, a task carries them. */
function inputRequestsOf({ serverRequests, embeddedRequests }: Revision): Table<RequestRow | EmbeddedRow> {
  return { ...embeddedRequests, ...serverRequests };
}

function toRequest(row: RequestRow | EmbeddedRow): RequestRow {
  return { ...row, kind: "request" };
}

/** Rounds after which a handler that still requests input is regarded as endless. */
const maxInputRounds = 8;

/** Milliseconds before a handler that returned no input requests is called again. */
const inputRetryDelay = 250;
