import {
  escapeKey,
  fail,
  isObject,
  under,
  type EmbeddedRow,
  type Issue,
  type RequestRow,
} from "../../../generated/support.ts";
import { checkFormContent } from "../../protocol/methods/elicitation-form.ts";

/**
 * Returns the problem of the response to an input request, if any. The response must be of the right kind, and a form must be filled in as requested.
 * Clients should ensure this, but not every client does.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 */
export function checkInputResponse(
  row: RequestRow | EmbeddedRow,
  params: unknown,
  response: unknown,
): Issue | undefined {
  return row.result(response) ?? checkFormResponse(row, params, response);
}

/** Returns the problem of a valid response to an input request: a form must be filled in as requested. */
export function checkFormResponse(
  { handler }: RequestRow | EmbeddedRow,
  params: unknown,
  response: unknown,
): Issue | undefined {
  if (handler !== "elicit" || !isObject(params) || !isObject(response)) return undefined;
  if (params.mode === "url" || response.action !== "accept") return undefined;
  const [problem] = checkFormContent(params.requestedSchema, isObject(response.content) ? response.content : {});
  if (!problem) return undefined;
  const path = ["content", ...(problem.path ?? [])].map(String);
  const issue = fail(`a value that matches the requested schema, but it ${problem.message}`);
  return path.reduceRight((inner, key) => under(escapeKey(key), inner), issue);
}
