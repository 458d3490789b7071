import { isObject, type Awaitable } from "../../../generated/support.ts";
import { toStatelessError } from "../../protocol/stateless-request.ts";
import { attempt, chain } from "../../internal/maybe-async.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import { readAuth } from "../context.ts";
import { InputRequired } from "./input-required.ts";
import { toStateScope } from "./request-state.ts";
import { readReturned, toReturned } from "./returned-requests.ts";
import type { RequestStateSettings } from "./request-state-options.ts";
import { emptyRecord, type RoundInput, type RoundRecord } from "./round-record.ts";
import { Round, type RoundStart } from "./round.ts";
import { keepRounds, readRound, type RoundRequest, type Rounds, type Work } from "./rounds.ts";

/**
 * Creates the rounds of stateless requests. Each round is a request: it carries the state that earlier rounds left with the client, runs the
 * handler from its beginning, and returns the result or the input that is required.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function createReplayedRounds(settings: RequestStateSettings): Rounds {
  const plain = keepRounds();
  return {
    of: (call) => readRound(call) ?? plain(call),
    run: (request, call, work) =>
      attempt(
        () => replay({ request, call, settings }, work),
        (error) => {
          throw toStatelessError(error, call.revision);
        },
      ),
  };
}

/** A call with the settings of its rounds. */
interface Replay {
  readonly request: RoundRequest;
  readonly call: CallContext;
  readonly settings: RequestStateSettings;
}

function replay(of: Replay, work: Work): Awaitable<object> {
  const { params } = of.request;
  const { inputResponses, requestState } = isObject(params) ? params : {};
  const given = isObject(inputResponses) ? inputResponses : undefined;
  if (typeof requestState === "string") {
    return of.settings.states
      .open(toScope(of), requestState, principalOf(of))
      .then((record) => play(continueTurn(of, record, given ?? noResponses), work));
  }
  // Without a state no input was requested, but a handler that returns input requests may recognize responses by their keys.
  return play(new Turn(of, emptyRecord, noResponses, given && { inputResponses: given }), work);
}

type Responses = RoundStart["responses"];

const noResponses: Responses = {};

/** Creates the turn of a round after the first; checks the responses to returned input requests. */
function continueTurn(of: Replay, record: RoundRecord, responses: Responses): Turn {
  const { returned, input } = record;
  const answered = returned && readReturned(returned, responses, of.call.revision.embeddedRequests);
  return new Turn(of, record, responses, answered ?? input);
}

function play(turn: Turn, work: Work): Awaitable<object> {
  const { call } = turn.of;
  const round = new Round(call, turn);
  return chain(round.play(work), (result) => {
    if (!(result instanceof InputRequired)) return result;
    const { questions } = result;
    return turn.suspend(questions.inputRequests, { ...round.record, returned: toReturned(questions, call.session) });
  });
}

/** One round: the state and the responses that the client sent, and the way to the next round. */
class Turn implements RoundStart {
  readonly of: Replay;
  readonly record: RoundRecord;
  readonly responses: Responses;
  readonly input: RoundInput | undefined;

  constructor(of: Replay, record: RoundRecord, responses: Responses, input: RoundInput | undefined) {
    this.of = of;
    this.record = record;
    this.responses = responses;
    this.input = input;
  }

  get settings(): RequestStateSettings {
    return this.of.settings;
  }

  async suspend(inputRequests: object | undefined, record: RoundRecord): Promise<object> {
    const requestState = await this.settings.states.seal(toScope(this.of), record);
    return { resultType: "input_required", ...(inputRequests && { inputRequests }), requestState };
  }
}

function toScope(of: Replay): string {
  const { method, params } = of.request;
  const { revision } = of.call;
  return toStateScope({ revision: revision.id, method, params, principal: principalOf(of) });
}

function principalOf({ call: { origin } }: Replay): string | undefined {
  return readAuth(origin)?.principal;
}
