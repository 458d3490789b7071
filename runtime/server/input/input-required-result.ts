import { isObject, type Awaitable } from "../../../generated/support.ts";
import { toStatelessError } from "../../protocol/peer/stateless-request.ts";
import { attempt, chain } from "../../internal/maybe-async.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { readAuth } from "../context.ts";
import { InputRequired } from "./input-required.ts";
import { toStateScope } from "./request-state.ts";
import { readReturned, toReturned } from "./returned-requests.ts";
import type { RequestStateSettings } from "./request-state-options.ts";
import { emptyRecord, type ClientInput, type InputRecord } from "./request-state-record.ts";
import { ReplayedCall, type ReplayStart } from "./replayed-input-state.ts";
import {
  createSessionInputState,
  readInputState,
  type InputRunRequest,
  type InputRunner,
  type RunHandler,
} from "./input-runner.ts";

/**
 * Creates the rounds of stateless requests. Each round is a request: it carries the state left with the client by earlier rounds, runs the handler
 * from its beginning, and returns the result or the required input.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function createReplayingInputRunner(settings: RequestStateSettings): InputRunner {
  const plain = createSessionInputState();
  return {
    of: (call) => readInputState(call) ?? plain(call),
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
  readonly request: InputRunRequest;
  readonly call: CallContext;
  readonly settings: RequestStateSettings;
}

function replay(of: Replay, work: RunHandler): Awaitable<object> {
  const { params } = of.request;
  const { inputResponses, requestState } = isObject(params) ? params : {};
  const given = isObject(inputResponses) ? inputResponses : undefined;
  if (typeof requestState === "string") {
    return of.settings.states.verify(toScope(of), requestState, principalOf(of)).then((record) => {
      of.call.signal.throwIfAborted();
      return play(continueTurn(of, record, given ?? noResponses), work);
    });
  }
  // Without a state no input was requested, but a handler that returns input requests may recognize responses by their keys.
  return play(new Turn(of, emptyRecord, noResponses, given && { inputResponses: given }), work);
}

type Responses = ReplayStart["responses"];

const noResponses: Responses = {};

/** Creates the turn of a round after the first; checks the responses to returned input requests. */
function continueTurn(of: Replay, record: InputRecord, responses: Responses): Turn {
  const { returned, input } = record;
  const responded = returned && readReturned(returned, responses, of.call.session);
  return new Turn(of, record, responses, responded ?? input);
}

function play(turn: Turn, work: RunHandler): Awaitable<object> {
  const { call } = turn.of;
  const replayed = new ReplayedCall(call, turn);
  return chain(replayed.play(work), (result) => {
    if (!(result instanceof InputRequired)) return result;
    const { fields } = result;
    return turn.suspend(fields.inputRequests, {
      ...replayed.inputState.record,
      returned: toReturned(fields, call.session),
    });
  });
}

/** One round: the state and the responses sent by the client, and the way to the next round. */
class Turn implements ReplayStart {
  readonly of: Replay;
  readonly record: InputRecord;
  readonly responses: Responses;
  readonly input: ClientInput | undefined;

  constructor(of: Replay, record: InputRecord, responses: Responses, input: ClientInput | undefined) {
    this.of = of;
    this.record = record;
    this.responses = responses;
    this.input = input;
  }

  get settings(): RequestStateSettings {
    return this.of.settings;
  }

  async suspend(inputRequests: object | undefined, record: InputRecord): Promise<object> {
    const requestState = await this.settings.states.sign(toScope(this.of), record);
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
