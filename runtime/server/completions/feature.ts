import type { Revision } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { KnownMember } from "../../protocol/revision/known-members.ts";
import { completeArgument, hasCompletions, type CompleteParams } from "./complete.ts";
import type { Feature, ServerParts } from "../feature.ts";
import type { PromptLists } from "../prompts/registry.ts";
import type { ResourceLists } from "../resources/catalogue.ts";

/** Completions of prompt arguments and template variables. Must follow the features that it completes. */
export const completions: Feature = {
  name: "completions",
  create: ({ prompts, resourceTemplates, settings }: ServerParts & Partial<PromptLists & ResourceLists>) => ({
    implement({ options, toContext, earlier }) {
      const { listChanged } = settings;
      const isOffered =
        hasCompletions(prompts ?? [], resourceTemplates ?? []) ||
        listChanged.has("prompts") ||
        listChanged.has("resources");
      if (!isOffered) return { handlers: {} };
      const { result } = options.envelope;
      return {
        handlers: {
          async complete(params: CompleteParams, call: CallContext) {
            return { ...result, ...(await completeArgument(toKnown(params, call.revision), earlier, toContext(call))) };
          },
        },
      };
    },
  }),
};

/** Drops the context (arguments that are already resolved) at revisions that do not define it. */
function toKnown(params: CompleteParams, { knownMembers }: Revision): CompleteParams {
  const known: KnownMember = "CompleteRequest.params.context";
  const { context: _context, ...others } = params;
  return knownMembers.includes(known) ? params : others;
}
