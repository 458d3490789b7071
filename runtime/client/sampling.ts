import { isObject, type Revision } from "../../generated/support.ts";
import { checkToolResults } from "../common/tool-results.ts";
import type { CallContext } from "../rpc/call.ts";
import { RpcError, errorCodes, invalidParams } from "../rpc/errors.ts";
import { omit } from "../rpc/known-members.ts";
import { AnswerScope } from "./answer-scope.ts";
import type { SamplingSource } from "./source.ts";

/**
 * Puts the handler of the user behind `sampling/createMessage`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
 */
export function createSampling(source: SamplingSource): (params: unknown, call: CallContext) => unknown {
  return (params, call) => {
    const request = toKnown(params, call.revision);
    if (!source.tools && (request.tools !== undefined || request.toolChoice !== undefined)) {
      throw refuse("This client has not declared sampling.tools");
    }
    const issue = checkToolResults(request);
    if (issue) throw invalidParams(issue);
    return source.createMessage(request, new AnswerScope(call));
  };
}

/** Tools came together with their capability. */
function toKnown(params: unknown, { capabilities }: Revision): Record<string, unknown> {
  const request = isObject(params) ? params : {};
  return capabilities.client.includes("sampling.tools") ? request : omit(request, "tools", "toolChoice");
}

function refuse(message: string): RpcError {
  return new RpcError(errorCodes.invalidParams, message);
}
