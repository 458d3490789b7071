import { maxInputRequests } from "../../protocol/methods/input-request-limit.ts";

/** Input requests returned by a handler: by key, each with a method and its params. */
export interface InputRequiredFields {
  readonly inputRequests?: { readonly [key: string]: { readonly method: string; readonly params?: object } };
  /** Text for the handler in the next round. The client carries it, signed: it can read it, but not change it. */
  readonly requestState?: string;
}

/** Return value of a handler that needs input before it can return its result. */
export class InputRequired<Fields extends InputRequiredFields = InputRequiredFields> {
  readonly fields: Fields;

  constructor(fields: Fields) {
    const { inputRequests, requestState } = fields;
    if (inputRequests === undefined && requestState === undefined) {
      throw new Error("inputRequired requires inputRequests, requestState or both");
    }
    const count = Object.keys(inputRequests ?? {}).length;
    if (count > maxInputRequests) {
      throw new Error(`inputRequired got ${count} inputRequests; return at most ${maxInputRequests} in one round`);
    }
    this.fields = fields;
  }
}

/**
 * Requests input of the client by returning: the handler is called again, from its beginning, with `context.inputResponses` and
 * `context.requestState`. Handlers that only need responses can use `await context.elicit(...)`, which is simpler.
 *
 * @throws {Error} when neither `inputRequests` nor `requestState` is given, or more than 100 input requests
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 * @example
 * ```ts
 * import { inputRequired } from "mcp-server-runtime";
 *
 * const roots = defineTool({
 *   name: "count-roots",
 *   execute: (_args, { inputResponses }) =>
 *     inputResponses?.roots
 *       ? `${JSON.stringify(inputResponses.roots)}`
 *       : inputRequired({ inputRequests: { roots: { method: "roots/list" } } }),
 * });
 * ```
 */
export function inputRequired<Fields extends InputRequiredFields>(fields: Fields): InputRequired<Fields> {
  return new InputRequired(fields);
}
