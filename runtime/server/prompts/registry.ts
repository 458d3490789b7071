import { isObject } from "../../../generated/support.ts";
import { merge } from "../../internal/merge.ts";
import type { Catalogue } from "../list/catalogue.ts";
import { checkContentBlock } from "../check-content.ts";
import { callHandler, reject } from "../errors.ts";
import { InputRequired } from "../input/input-required.ts";
import { createListing, isVisible, type Listing } from "../list/list-page.ts";
import type { ListHost } from "../list/changing-lists.ts";
import type { RevisionServer } from "../revision-server.ts";
import { requireScopes } from "../scopes.ts";
import { pickShown, type ShownMembers } from "../list/shown-members.ts";
import type { AnyPrompt, AnyPrompts } from "../any-definition.ts";
import type { AnyContext, AnyRequester } from "../protocol-types.ts";

/** Prompt list of a server. */
export interface PromptLists {
  readonly prompts: Catalogue<AnyPrompt>;
}

/** Creates the prompt list of a server definition. */
export function createPromptLists({ prompts = [] }: AnyPrompts, host: ListHost): PromptLists {
  return {
    prompts: host.createList("prompts", prompts, {
      noun: "prompt",
      keyOf: ({ name }) => name,
      check: (prompt) => host.check({ prompts: [prompt] }),
    }),
  };
}

/** The prompts of a server at one revision. */
export interface PromptRegistry extends Listing {
  /** Returns the prompt if it exists and this client may see it. */
  find(name: string, requester: AnyRequester): AnyPrompt | undefined;
  get(name: string, args: { readonly [name: string]: string }, context: AnyContext): Promise<object>;
}

/** Builds the prompt registry of a server for one revision. */
export function createPrompts(prompts: Catalogue<AnyPrompt>, server: RevisionServer): PromptRegistry {
  const describe = (prompt: AnyPrompt): object => describePrompt(prompt, server.parts.shown);
  const find = (name: string, requester: AnyRequester): AnyPrompt | undefined => {
    const prompt = prompts.get(name);
    return prompt && isVisible(prompt, requester) ? prompt : undefined;
  };
  return {
    ...createListing({ member: "prompts", catalogue: prompts, describe }, server),
    find,
    async get(name, args, context) {
      const prompt = find(name, context);
      if (!prompt) throw reject(`Unknown prompt: ${name}`, { name });
      requireScopes(prompt, context);
      const outcome = await callHandler(() => prompt.get(pickArguments(prompt, args), context));
      if (outcome instanceof InputRequired) return outcome;
      return merge(server.envelope.result, toResult(prompt, outcome));
    },
  };
}

/** Returns a prompt in the form for lists. */
export function describePrompt(prompt: AnyPrompt, shown: ShownMembers): object {
  const fields = pickShown(prompt, "Prompt", shown);
  if (!prompt.arguments) return fields;
  const args = Object.entries(prompt.arguments);
  return {
    ...fields,
    arguments: args.map(([name, argument]) => ({ name, ...pickShown(argument, "PromptArgument", shown) })),
  };
}

/** Keeps the declared arguments only: handlers never see a name they did not declare. */
function pickArguments(
  prompt: AnyPrompt,
  given: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  const declared = Object.entries(prompt.arguments ?? {});
  const missing = declared
    .filter(([name, { required }]) => required && !Object.hasOwn(given, name))
    .map(([name]) => name);
  if (missing.length > 0) {
    throw reject(`Missing required argument of prompt "${prompt.name}": ${missing.join(", ")}`, { missing });
  }
  const present = declared.filter(([name]) => Object.hasOwn(given, name));
  return Object.fromEntries(present.map(([name]) => [name, given[name] ?? ""]));
}

function toResult(prompt: AnyPrompt, outcome: unknown): object {
  const result = toMessages(prompt, outcome);
  const messages: unknown = Reflect.get(result, "messages");
  // A result without messages requests input from the client.
  if (messages === undefined) return result;
  for (const message of Array.isArray(messages) ? messages : []) {
    const problem = isObject(message) ? checkContentBlock(message.content) : undefined;
    if (problem !== undefined) throw new Error(`Prompt "${prompt.name}" returned invalid content: ${problem}`);
  }
  return prompt.description === undefined ? result : merge({ description: prompt.description }, result);
}

function toMessages(prompt: AnyPrompt, outcome: unknown): object {
  if (typeof outcome === "string") return { messages: [{ role: "user", content: { type: "text", text: outcome } }] };
  if (Array.isArray(outcome)) return { messages: outcome };
  if (isObject(outcome)) return outcome;
  throw new Error(`Prompt "${prompt.name}" returned neither text nor messages nor a result`);
}
