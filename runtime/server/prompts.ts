import { isObject } from "../../generated/support.ts";
import type { StaticResult } from "../rpc/message.ts";
import { refuse } from "./errors.ts";
import { createPages } from "./pages.ts";
import type { AnyContext, PromptSource } from "./source.ts";
import type { RegistryOptions } from "./tools.ts";

/** The prompts of a server at one revision. */
export interface PromptRegistry {
  list(cursor: string | undefined): StaticResult;
  find(name: string): PromptSource | undefined;
  get(name: string, args: { readonly [name: string]: string }, context: AnyContext): Promise<object>;
}

/** Builds the registry. */
export function createPrompts(prompts: readonly PromptSource[], options: RegistryOptions): PromptRegistry {
  const { envelope, pageSize } = options;
  const byName = new Map(prompts.map((prompt) => [prompt.name, prompt]));
  const pages = createPages("prompts", prompts.map(describePrompt), { size: pageSize, envelope: envelope.cacheable });
  return {
    list: (cursor) => pages.page(cursor),
    find: (name) => byName.get(name),
    async get(name, args, context) {
      const prompt = byName.get(name);
      if (!prompt) throw refuse(`Unknown prompt: ${name}`, { name });
      const outcome = await prompt.get(pickArguments(prompt, args), context);
      return { ...envelope.result, ...toResult(prompt, outcome) };
    },
  };
}

function describePrompt(prompt: PromptSource): object {
  const { get: _get, arguments: args, ...fields } = prompt;
  if (!args) return fields;
  return {
    ...fields,
    arguments: Object.entries(args).map(([name, { complete: _complete, ...rest }]) => ({ name, ...rest })),
  };
}

/** The declared arguments only: handlers never see a name that they did not announce. */
function pickArguments(
  prompt: PromptSource,
  given: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  const declared = Object.entries(prompt.arguments ?? {});
  const missing = declared
    .filter(([name, { required }]) => required && !Object.hasOwn(given, name))
    .map(([name]) => name);
  if (missing.length > 0) {
    throw refuse(`Missing required argument of prompt "${prompt.name}": ${missing.join(", ")}`, { missing });
  }
  const present = declared.filter(([name]) => Object.hasOwn(given, name));
  return Object.fromEntries(present.map(([name]) => [name, given[name] ?? ""]));
}

function toResult(prompt: PromptSource, outcome: unknown): object {
  if (typeof outcome === "string") return { messages: [{ role: "user", content: { type: "text", text: outcome } }] };
  if (Array.isArray(outcome)) return { messages: outcome };
  if (isObject(outcome)) return outcome;
  throw new Error(`Prompt "${prompt.name}" gave neither text nor messages nor a result.`);
}
