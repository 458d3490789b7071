import { isObject } from "../../../generated/support.ts";
import type { CompleteParams } from "../completions.ts";
import { checkUnique } from "../check-server.ts";
import { refuse } from "../errors.ts";
import type { Feature, Found } from "../feature.ts";
import { toListHandler } from "../list-handler.ts";
import { createPrompts, type PromptRegistry } from "../prompts.ts";
import { requireScopes } from "../scopes.ts";
import type { AnyContext } from "../source.ts";

/** Prompts that users choose and fill in. */
export const prompts: Feature = {
  name: "prompts",
  check({ prompts: defined = [] }) {
    const names = defined.map(({ name }) => name);
    checkUnique("prompts", "name", names);
  },
  create: (parts) => ({
    findAsked(method, { name, ref }) {
      const asked = method === "prompts/get" ? name : isObject(ref) && ref.type === "ref/prompt" && ref.name;
      return typeof asked === "string" ? parts.prompts.get(asked) : undefined;
    },
    implement({ options, rounds, toContext, isOffered }) {
      const registry = createPrompts(parts.prompts, options);
      return {
        handlers: isOffered("prompts")
          ? {
              listPrompts: toListHandler(registry),
              getPrompt: (params, call) =>
                rounds.run({ method: "prompts/get", params }, call, (during) =>
                  registry.get(params.name, params.arguments ?? {}, toContext(during)),
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
): Found | undefined {
  if (ref.type !== "ref/prompt") return undefined;
  const prompt = registry.find(ref.name, scope);
  if (!prompt) throw refuse(`Unknown prompt: ${ref.name}`, { name: ref.name });
  requireScopes(prompt, scope);
  const known = prompt.arguments ?? {};
  if (!Object.hasOwn(known, argument.name))
    throw refuse(`Unknown argument: ${argument.name}`, { argument: argument.name });
  return { complete: known[argument.name]?.complete };
}
