import { isObject } from "../../generated/support.ts";
import { missingCapability } from "../rpc/alone.ts";
import type { CallContext } from "../rpc/call.ts";
import { isCapabilityError } from "../rpc/errors.ts";
import { readAuth } from "./context.ts";
import { InputRequired } from "./input-required.ts";
import { toStateScope } from "./request-state.ts";
import { readReturned, toReturned } from "./returned-questions.ts";
import type { RoundSettings } from "./round-options.ts";
import { emptyRecord, type RoundRecord } from "./round-record.ts";
import { Round } from "./round.ts";
import { keepPlainRounds, readRound, type RoundRequest, type Rounds, type Work } from "./rounds.ts";

/**
 * Where each request stands alone, each round is a request: it brings what earlier ones left with the client, runs the handler from its
 * beginning, and gives the result or what has to be asked.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/patterns/mrtr
 */
export function createReplayedRounds(settings: RoundSettings): Rounds {
  const plain = keepPlainRounds();
  return {
    of: (call) => readRound(call) ?? plain(call),
    async run(request, call, work) {
      try {
        return await replay(request, call, { settings, work });
      } catch (error) {
        if (!isCapabilityError(error) || error.gate.side !== "client") throw error;
        throw missingCapability(call.revision, error.gate);
      }
    },
  };
}

async function replay(
  { method, params }: RoundRequest,
  call: CallContext,
  { settings, work }: { readonly settings: RoundSettings; readonly work: Work },
): Promise<object> {
  const { states, settleTime, stepTime, clock } = settings;
  const { revision, origin } = call;
  const { inputResponses, requestState }: Record<string, unknown> = { ...params };
  const scope = (): string =>
    toStateScope({ revision: revision.id, method, params, principal: readAuth(origin)?.principal });
  const suspend = async (inputRequests: object | undefined, record: RoundRecord): Promise<object> => ({
    resultType: "input_required",
    ...(inputRequests && { inputRequests }),
    requestState: await states.seal(scope(), record),
  });
  const record = typeof requestState === "string" ? await states.open(scope(), requestState) : emptyRecord;
  // Without a state nothing has been asked: then there is nothing that could be answered.
  const responses = requestState !== undefined && isObject(inputResponses) ? inputResponses : {};
  const { returned, input: earlier } = record;
  // A handler that asks by returning may know its answers by their keys, whether or not a state comes with them.
  const unasked = requestState === undefined && isObject(inputResponses) ? { inputResponses } : earlier;
  const input = returned ? readReturned(returned, responses, revision.embeddedRequests) : unasked;
  const round = new Round(call, { record, responses, input, settleTime, stepTime, clock, suspend });
  const result = await round.play(work);
  if (!(result instanceof InputRequired)) return result;
  const { questions } = result;
  return suspend(questions.inputRequests, { ...round.record, returned: toReturned(questions, call.session) });
}
