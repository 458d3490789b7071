import type { Revision } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import type { KnownMember } from "../../protocol/known-members.ts";
import { completeArgument, hasCompletions, type CompleteParams } from "./complete.ts";
import type { Feature } from "../feature.ts";
import type { ServerParts } from "../handlers.ts";
import type { PromptLists } from "../prompts/registry.ts";
import type { ResourceLists } from "../resources/catalogue.ts";

/** Suggestions for the arguments of prompts and the variables of templates. Comes after what it makes suggestions for. */
export const completions: Feature = {
  name: "completions",
  create: ({ prompts, resourceTemplates, settings }: ServerParts & Partial<PromptLists & ResourceLists>) => ({
    implement({ options, toContext, earlier }) {
      const { dynamic } = settings;
      const isOffered =
        hasCompletions(prompts ?? [], resourceTemplates ?? []) || dynamic.has("prompts") || dynamic.has("resources");
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

/** Settled arguments mean nothing where the revision does not have them. */
function toKnown(params: CompleteParams, { knownMembers }: Revision): CompleteParams {
  const known: KnownMember = "CompleteRequest.params.context";
  const { context: _context, ...others } = params;
  return knownMembers.includes(known) ? params : others;
}
