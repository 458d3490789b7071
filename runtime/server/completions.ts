import { refuse } from "./errors.ts";
import type { Complete, Completion, CompletionContext } from "./protocol.ts";
import type { PromptRegistry } from "./prompts.ts";
import type { ResourceRegistry } from "./resources.ts";
import type { AnyContext, PromptSource, TemplateSource } from "./source.ts";

/** Params of `completion/complete`, as every revision has them. */
export interface CompleteParams {
  readonly ref:
    { readonly type: "ref/prompt"; readonly name: string } | { readonly type: "ref/resource"; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: { readonly [name: string]: string } };
}

/** Where the things live that can be completed. */
export interface Completables {
  readonly prompts: PromptRegistry;
  readonly resources: ResourceRegistry;
}

/** Most values in one answer. */
const mostValues = 100;

/** Whether anything in a server can be completed; otherwise it does not offer completion. */
export function hasCompletions(prompts: Iterable<PromptSource>, templates: Iterable<TemplateSource>): boolean {
  const inPrompts = [...prompts].some((prompt) => Object.values(prompt.arguments ?? {}).some((a) => a.complete));
  return inPrompts || [...templates].some((template) => Object.values(template.complete ?? {}).some(Boolean));
}

/** Answers `completion/complete`. An argument without a function of its own has no suggestions. */
export async function completeArgument(
  params: CompleteParams,
  where: Completables,
  scope: AnyContext,
): Promise<{ readonly completion: object }> {
  const { name, value } = params.argument;
  const complete = findComplete(params, where, scope);
  const context: CompletionContext = { arguments: params.context?.arguments ?? {}, signal: scope.signal };
  return { completion: toCompletion(complete ? await complete(value, context) : [], name) };
}

function findComplete(
  { ref, argument }: CompleteParams,
  { prompts, resources }: Completables,
  scope: AnyContext,
): Complete | undefined {
  switch (ref.type) {
    case "ref/prompt": {
      const prompt = prompts.find(ref.name, scope);
      if (!prompt) throw refuse(`Unknown prompt: ${ref.name}`, { name: ref.name });
      return readOwn(prompt.arguments ?? {}, argument.name)?.complete;
    }
    case "ref/resource": {
      if (resources.find(ref.uri, scope)) return undefined;
      const found = resources.findTemplate(ref.uri, scope);
      if (!found) throw refuse(`Unknown resource template: ${ref.uri}`, { uri: ref.uri });
      if (!found.pattern.variables.includes(argument.name)) throw unknownArgument(argument.name);
      const { complete = {} } = found.template;
      return Object.hasOwn(complete, argument.name) ? complete[argument.name] : undefined;
    }
  }
  return ref satisfies never;
}

function readOwn<T>(record: { readonly [name: string]: T }, name: string): T | undefined {
  if (!Object.hasOwn(record, name)) throw unknownArgument(name);
  return record[name];
}

function unknownArgument(name: string): Error {
  return refuse(`Unknown argument: ${name}`, { argument: name });
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
