import type { Revision } from "../../../generated/support.ts";
import type { KnownMember } from "../../protocol/revision/known-members.ts";
import { completeArgument, hasCompletions } from "./complete.ts";
import type { Feature, Implemented } from "../feature.ts";
import type { CompleteParams } from "../methods/served-handlers.ts";
import type { ServerParts } from "../revision-server.ts";
import type { PromptLists } from "../prompts/registry.ts";
import type { ResourceLists } from "../resources/catalogue.ts";

/** Completions of prompt arguments and template variables. */
export const completions: Feature = {
  name: "completions",
  follows: ["resources", "prompts"],
  create: ({ prompts, resourceTemplates, lists }: ServerParts & Partial<PromptLists & ResourceLists>) => ({
    implement(server, { features }): Implemented {
      const isOffered =
        hasCompletions(prompts ?? [], resourceTemplates ?? []) ||
        lists.changeable.has("prompts") ||
        lists.changeable.has("resources");
      if (!isOffered) return { handlers: {} };
      const { result } = server.envelope;
      return {
        handlers: {
          async complete(params, call) {
            return {
              ...result,
              ...(await completeArgument(toKnown(params, call.revision), features, server.scope(call))),
            };
          },
        },
      };
    },
  }),
};

/** Drops the context (the arguments resolved already) at revisions that do not define it. */
function toKnown(params: CompleteParams, { knownMembers }: Revision): CompleteParams {
  const known: KnownMember = "CompleteRequest.params.context";
  const { context: _context, ...others } = params;
  return knownMembers.includes(known) ? params : others;
}
