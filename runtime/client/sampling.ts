import { isObject } from "../../generated/support.ts";
import type { CallContext } from "../rpc/call.ts";
import { RpcError, errorCodes } from "../rpc/errors.ts";
import { AnswerScope } from "./answer-scope.ts";
import type { SamplingSource } from "./source.ts";

/**
 * Puts the handler of the user behind `sampling/createMessage`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
 */
export function createSampling(source: SamplingSource): (params: unknown, call: CallContext) => unknown {
  return (params, call) => {
    const request = isObject(params) ? params : {};
    if (!source.tools && (request.tools !== undefined || request.toolChoice !== undefined)) {
      throw refuse("This client has not declared sampling.tools");
    }
    checkToolResults(Array.isArray(request.messages) ? request.messages : []);
    return source.createMessage(request, new AnswerScope(call));
  };
}

/**
 * Models refuse conversations in which a tool use is not answered at once, by results and nothing else.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#message-content-constraints
 */
function checkToolResults(messages: readonly unknown[]): void {
  let asked: ReadonlySet<unknown> = new Set();
  for (const [index, message] of messages.entries()) {
    const where = `messages/${index}`;
    const blocks = readBlocks(message);
    const results = blocks.filter(({ type }) => type === "tool_result");
    if (results.length > 0 && results.length < blocks.length) throw refuse("Tool results must stand alone", where);
    const answered = new Set(results.map(({ toolUseId }) => toolUseId));
    if (!isSame(asked, answered))
      throw refuse("Each tool use needs a result in the next message, and each result a use", where);
    asked = new Set(blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id));
  }
  if (asked.size > 0) throw refuse("Each tool use needs a result in the next message", `messages/${messages.length}`);
}

function readBlocks(message: unknown): readonly Record<string, unknown>[] {
  const content = isObject(message) ? message.content : undefined;
  return (Array.isArray(content) ? content : [content]).filter(isObject);
}

function isSame(first: ReadonlySet<unknown>, second: ReadonlySet<unknown>): boolean {
  return first.size === second.size && [...first].every((member) => second.has(member));
}

function refuse(message: string, path?: string): RpcError {
  return new RpcError(errorCodes.invalidParams, message, path === undefined ? {} : { data: { path } });
}
