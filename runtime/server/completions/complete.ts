import { refuse } from "../errors.ts";
import type { Implemented } from "../feature.ts";
import type { Complete, Completion, CompletionContext } from "../protocol-types.ts";
import type { AnyContext, AnyPrompt, AnyResourceTemplate } from "../any-definition.ts";

/** Params of `completion/complete`, as every revision has them. */
export interface CompleteParams {
  readonly ref:
    { readonly type: "ref/prompt"; readonly name: string } | { readonly type: "ref/resource"; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: { readonly [name: string]: string } };
}

/** What a feature answers that suggests values. */
export interface Completing extends Implemented {
  /** Who suggests values for what is asked about, if it is one of its own; refuses what it does not have. */
  findComplete(params: CompleteParams, scope: AnyContext): Found | undefined;
}

/** Somebody who suggests values, or nobody for something that is there. */
export interface Found {
  readonly complete: Complete | undefined;
}

/** Most values in one answer. */
const mostValues = 100;

/** Whether anything in a server can be completed; otherwise it does not offer completion. */
export function hasCompletions(prompts: Iterable<AnyPrompt>, templates: Iterable<AnyResourceTemplate>): boolean {
  const inPrompts = [...prompts].some((prompt) => Object.values(prompt.arguments ?? {}).some((a) => a.complete));
  return inPrompts || [...templates].some((template) => Object.values(template.complete ?? {}).some(Boolean));
}

/** Answers `completion/complete`. An argument without a function of its own has no suggestions. */
export async function completeArgument(
  params: CompleteParams,
  where: readonly Implemented[],
  scope: AnyContext,
): Promise<{ readonly completion: object }> {
  const { name, value } = params.argument;
  const { complete } = findComplete(params, where, scope);
  const context: CompletionContext = { arguments: params.context?.arguments ?? {}, signal: scope.signal };
  return { completion: toCompletion(complete ? await complete(value, context) : [], name) };
}

/** Whoever it is about answers, or refuses; where nothing of the kind is served, there is nothing of that name. */
function findComplete(params: CompleteParams, where: readonly Implemented[], scope: AnyContext): Found {
  for (const feature of where.filter(isCompleting)) {
    const found = feature.findComplete(params, scope);
    if (found) return found;
  }
  const { ref } = params;
  throw ref.type === "ref/prompt"
    ? refuse(`Unknown prompt: ${ref.name}`, { name: ref.name })
    : refuse(`Unknown resource template: ${ref.uri}`, { uri: ref.uri });
}

function isCompleting(implemented: Implemented): implemented is Completing {
  return "findComplete" in implemented;
}

/** @see https://modelcontextprotocol.io/specification/latest/server/utilities/completion */
function toCompletion(outcome: readonly string[] | Completion, name: string): object {
  const given: Completion = isList(outcome) ? { values: outcome } : outcome;
  if (!Array.isArray(given.values)) throw new Error(`The completion of "${name}" gave no list of values.`);
  const total = given.total ?? (given.hasMore ? undefined : given.values.length);
  const hasMore = given.hasMore ?? (given.values.length > mostValues || (total ?? 0) > given.values.length);
  return { values: given.values.slice(0, mostValues), ...(total !== undefined && { total }), hasMore };
}

function isList(outcome: readonly string[] | Completion): outcome is readonly string[] {
  return Array.isArray(outcome);
}
