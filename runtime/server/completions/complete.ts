import { callHandler, reject } from "../errors.ts";
import type { Implemented } from "../feature.ts";
import type { CompleteParams } from "../methods/served-handlers.ts";
import type { Complete, Completion, CompletionContext, AnyContext } from "../protocol-types.ts";
import type { AnyPrompt, AnyResourceTemplate } from "../any-definition.ts";

/** Interface of features that suggest values. */
export interface Completing extends Implemented {
  /**
   * Returns the completion of a prompt or template of this feature, and `undefined` for references of other kinds.
   *
   * @throws {RpcError} when the name is unknown.
   */
  findComplete(params: CompleteParams, scope: AnyContext): CompletionTarget | undefined;
}

/** An existing argument or variable. `complete` is undefined if it has no suggestions. */
export interface CompletionTarget {
  readonly complete: Complete | undefined;
}

/** Maximum number of values in one result. */
const mostValues = 100;

/** True if any prompt or template has a completion. Otherwise the server does not offer completions. */
export function hasCompletions(prompts: Iterable<AnyPrompt>, templates: Iterable<AnyResourceTemplate>): boolean {
  const inPrompts = [...prompts].some((prompt) => Object.values(prompt.arguments ?? {}).some((a) => a.complete));
  return inPrompts || [...templates].some((template) => Object.values(template.complete ?? {}).some(Boolean));
}

/**
 * Handles `completion/complete`. An argument without a completion function has no suggestions.
 *
 * @throws {RpcError} when the prompt, template or argument is unknown.
 */
export async function completeArgument(
  params: CompleteParams,
  where: readonly Implemented[],
  scope: AnyContext,
): Promise<{ readonly completion: object }> {
  const { name, value } = params.argument;
  const { complete } = findComplete(params, where, scope);
  const context: CompletionContext = { arguments: params.context?.arguments ?? {}, signal: scope.signal };
  const outcome = complete ? await callHandler(() => complete(value, context)) : [];
  return { completion: toCompletion(outcome, name) };
}

/** Finds the completion in the feature serving the reference. If no feature serves this kind of reference, the name is unknown. */
function findComplete(params: CompleteParams, where: readonly Implemented[], scope: AnyContext): CompletionTarget {
  for (const feature of where.filter(isCompleting)) {
    const found = feature.findComplete(params, scope);
    if (found) return found;
  }
  const { ref } = params;
  throw ref.type === "ref/prompt"
    ? reject(`Unknown prompt: ${ref.name}`, { name: ref.name })
    : reject(`Unknown resource template: ${ref.uri}`, { uri: ref.uri });
}

function isCompleting(implemented: Implemented): implemented is Completing {
  return "findComplete" in implemented;
}

/**
 * Converts the outcome of a completion function to a result of at most 100 values.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 */
function toCompletion(outcome: readonly string[] | Completion, name: string): object {
  const given: Completion = isList(outcome) ? { values: outcome } : outcome;
  if (!Array.isArray(given.values)) throw new Error(`The completion of "${name}" returned no array of values`);
  const total = given.total ?? (given.hasMore ? undefined : given.values.length);
  const isCut = given.values.length > mostValues;
  const hasMore = isCut || (given.hasMore ?? (total ?? 0) > given.values.length);
  return { values: given.values.slice(0, mostValues), ...(total !== undefined && { total }), hasMore };
}

function isList(outcome: readonly string[] | Completion): outcome is readonly string[] {
  return Array.isArray(outcome);
}
