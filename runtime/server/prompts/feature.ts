import { isObject } from "../../../generated/support.ts";
import { checkUnique } from "../check-definition.ts";
import type { Completing, CompletionTarget } from "../completions/complete.ts";
import { reject } from "../errors.ts";
import type { Feature } from "../feature.ts";
import type { ServerParts } from "../revision-server.ts";
import { checkOffer } from "../list/check-shown.ts";
import { toListHandler } from "../list/list-handler.ts";
import { readShown } from "../list/shown-members.ts";
import type { CompleteParams } from "../methods/served-handlers.ts";
import { createPrompts, describePrompt, type PromptLists, type PromptRegistry } from "./registry.ts";
import { requireScopes } from "../scopes.ts";
import type { AnyPrompts } from "../any-definition.ts";
import type { AnyContext } from "../protocol-types.ts";

/** Prompts for users to choose and fill in. */
export const prompts: Feature = {
  name: "prompts",
  check({ prompts: defined = [] }: AnyPrompts, revisions) {
    for (const prompt of defined) {
      const entry = describePrompt(prompt, readShown(revisions));
      checkOffer(prompt, { title: `Prompt "${prompt.name}"`, member: "prompts", entry, revisions });
    }
    const names = defined.map(({ name }) => name);
    checkUnique("prompts", "name", names);
  },
  create: (parts: ServerParts & PromptLists) => ({
    findAsked(method, { name, ref }) {
      const asked = method === "prompts/get" ? name : isObject(ref) && ref.type === "ref/prompt" && ref.name;
      return typeof asked === "string" ? parts.prompts.get(asked) : undefined;
    },
    implement(server): Completing {
      const registry = createPrompts(parts.prompts, server);
      return {
        handlers: parts.lists.isOffered("prompts")
          ? {
              listPrompts: toListHandler(registry),
              getPrompt: (params, call) =>
                server.inputRunner.run({ method: "prompts/get", params }, call, (during) =>
                  registry.get(params.name, params.arguments ?? {}, server.scope(during)),
                ),
            }
          : {},
        findComplete: (params, scope) => findComplete(registry, params, scope),
      };
    },
  }),
};

function findComplete(
  registry: PromptRegistry,
  { ref, argument }: CompleteParams,
  scope: AnyContext,
): CompletionTarget | undefined {
  if (ref.type !== "ref/prompt") return undefined;
  const prompt = registry.find(ref.name, scope);
  if (!prompt) throw reject(`Unknown prompt: ${ref.name}`, { name: ref.name });
  requireScopes(prompt, scope);
  const known = prompt.arguments ?? {};
  if (!Object.hasOwn(known, argument.name))
    throw reject(`Unknown argument: ${argument.name}`, { argument: argument.name });
  return { complete: known[argument.name]?.complete };
}
