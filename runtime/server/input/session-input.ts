import type { Awaitable, EmbeddedRow, RequestRow, Revision, Table } from "../../../generated/support.ts";
import { chain } from "../../internal/maybe-async.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import { pause, type Clock } from "../../internal/timers.ts";
import { checkAnswer } from "./check-response.ts";
import { askClient } from "./ask-client.ts";
import { InputRequired, type InputQuestions } from "./input-required.ts";
import { findQuestion } from "./returned-requests.ts";
import type { RoundInput } from "./round-record.ts";
import { keepRounds, type Rounds } from "./rounds.ts";

/** Creates rounds for servers that may send requests: input requests that a handler returned are sent before it is called again. */
export function createAskedRounds(clock: Clock | undefined): Rounds {
  const of = keepRounds();
  return {
    of,
    check: checkAnswer,
    run: (_request, call, work) =>
      chain(work(call), (result) => {
        if (!(result instanceof InputRequired)) return result;
        const again = (input: RoundInput): Awaitable<object> => {
          of(call).input = input;
          return work(call);
        };
        return repeatUntilResult(result, again, (questions) => askAll(questions, call, clock));
      }),
  };
}

/** Sends the input requests and runs the handler again until it returns a result. */
async function repeatUntilResult(
  first: InputRequired,
  again: (input: RoundInput) => Awaitable<object>,
  ask: (questions: InputQuestions) => Promise<RoundInput>,
): Promise<object> {
  let result: object = first;
  for (let round = 1; result instanceof InputRequired; round += 1) {
    if (round > mostRounds) throw new Error(`The handler still asked for input after ${mostRounds} rounds.`);
    result = await again(await ask(result.questions));
  }
  return result;
}

async function askAll(questions: InputQuestions, call: CallContext, clock: Clock | undefined): Promise<RoundInput> {
  const { inputRequests, requestState } = questions;
  // Without input requests the handler waits for something else.
  if (!inputRequests) await pause(betweenRounds, clock, call.signal);
  const asked = Object.entries(inputRequests ?? {}).map(async ([key, { method, params = {} }]) => {
    const row = toRequest(findQuestion(questionsOf(call.revision), method));
    return [key, await askClient(call, { row, params, key }, { askForTask: undefined, check: checkAnswer })] as const;
  });
  const inputResponses = Object.fromEntries(await Promise.all(asked));
  return { inputResponses, ...(requestState !== undefined && { requestState }) };
}

/** Returns the input requests of a revision. Where servers send no requests, a task carries them. */
function questionsOf({ serverRequests, embeddedRequests }: Revision): Table<RequestRow | EmbeddedRow> {
  return { ...embeddedRequests, ...serverRequests };
}

function toRequest(row: RequestRow | EmbeddedRow): RequestRow {
  return { ...row, kind: "request" };
}

/** Rounds after which a handler that still requests input is regarded as endless. */
const mostRounds = 8;

/** Milliseconds before a handler that returned no input requests is called again. */
const betweenRounds = 250;
