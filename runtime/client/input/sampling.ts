import { isObject, type Revision } from "../../../generated/support.ts";
import { checkToolResults } from "../../protocol/methods/sampling-tool-results.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { RpcError, errorCodes, invalidParams } from "../../jsonrpc/errors.ts";
import { omit } from "../../protocol/revision/known-members.ts";
import { ResponseScope } from "./response-scope.ts";
import type { AnySamplingOption } from "../protocol-types.ts";

/**
 * Connects the handler of the user to `sampling/createMessage`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
 */
export function createSampling(source: AnySamplingOption): (params: unknown, call: CallContext) => unknown {
  return (params, call) => {
    const request = toKnown(params, call.revision);
    if (!source.tools && (request.tools !== undefined || request.toolChoice !== undefined)) {
      throw reject("This client has not declared sampling.tools");
    }
    const issue = checkToolResults(request);
    if (issue) throw invalidParams(issue);
    return source.createMessage(request, new ResponseScope(call));
  };
}

/** Removes tools from the params at revisions without them: tools came together with their capability. */
function toKnown(params: unknown, { capabilities }: Revision): Record<string, unknown> {
  const request = isObject(params) ? params : {};
  return capabilities.client.includes("sampling.tools") ? request : omit(request, "tools", "toolChoice");
}

function reject(message: string): RpcError {
  return new RpcError(errorCodes.invalidParams, message);
}
