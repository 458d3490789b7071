import { isObject, type Awaitable } from "../../generated/support.ts";
import { toAloneError } from "../rpc/alone.ts";
import { attempt, chain } from "../rpc/awaitable.ts";
import type { CallContext } from "../rpc/call.ts";
import { readAuth } from "./context.ts";
import { InputRequired } from "./input-required.ts";
import { toStateScope } from "./request-state.ts";
import { readReturned, toReturned } from "./returned-questions.ts";
import type { RoundSettings } from "./round-options.ts";
import { emptyRecord, type RoundRecord } from "./round-record.ts";
import { Round } from "./round.ts";
import { keepRounds, readRound, type RoundRequest, type Rounds, type Work } from "./rounds.ts";

/**
 * Where each request stands alone, each round is a request: it brings what earlier ones left with the client, runs the handler from its
 * beginning, and gives the result or what has to be asked.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/patterns/mrtr
 */
export function createReplayedRounds(settings: RoundSettings): Rounds {
  const plain = keepRounds();
  return {
    of: (call) => readRound(call) ?? plain(call),
    run: (request, call, work) =>
      attempt(
        () => replay(request, call, { settings, work }),
        (error) => {
          throw toAloneError(error, call.revision);
        },
      ),
  };
}

/** One round: what the client brings, and how it goes on from there. */
interface Turn {
  readonly call: CallContext;
  readonly settings: RoundSettings;
  readonly work: Work;
  /** Answers to what was asked before, if the client brought any. */
  readonly inputResponses: Record<string, unknown> | undefined;
  readonly isFirst: boolean;
  /** Makes the result that asks for input. */
  suspend(inputRequests: object | undefined, record: RoundRecord): Promise<object>;
}

function replay(
  { method, params }: RoundRequest,
  call: CallContext,
  { settings, work }: { readonly settings: RoundSettings; readonly work: Work },
): Awaitable<object> {
  const { states } = settings;
  const { inputResponses, requestState } = isObject(params) ? params : {};
  const scope = (): string =>
    toStateScope({ revision: call.revision.id, method, params, principal: readAuth(call.origin)?.principal });
  const turn: Turn = {
    call,
    settings,
    work,
    inputResponses: isObject(inputResponses) ? inputResponses : undefined,
    isFirst: requestState === undefined,
    suspend: async (inputRequests, record) => ({
      resultType: "input_required",
      ...(inputRequests && { inputRequests }),
      requestState: await states.seal(scope(), record),
    }),
  };
  if (typeof requestState !== "string") return play(emptyRecord, turn);
  return states.open(scope(), requestState).then((record) => play(record, turn));
}

function play(record: RoundRecord, turn: Turn): Awaitable<object> {
  const { call, inputResponses, isFirst, suspend } = turn;
  const { settleTime, stepTime, clock } = turn.settings;
  // Without a state nothing has been asked: then there is nothing that could be answered.
  const responses = isFirst ? {} : (inputResponses ?? {});
  const { returned, input: earlier } = record;
  // A handler that asks by returning may know its answers by their keys, whether or not a state comes with them.
  const unasked = isFirst && inputResponses ? { inputResponses } : earlier;
  const input = returned ? readReturned(returned, responses, call.revision.embeddedRequests) : unasked;
  const round = new Round(call, { record, responses, input, settleTime, stepTime, clock, suspend });
  return chain(round.play(turn.work), (result) => {
    if (!(result instanceof InputRequired)) return result;
    const { questions } = result;
    return suspend(questions.inputRequests, { ...round.record, returned: toReturned(questions, call.session) });
  });
}
