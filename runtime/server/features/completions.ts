import { completeArgument, hasCompletions } from "../completions.ts";
import type { Feature } from "../feature.ts";

/** Suggestions for the arguments of prompts and the variables of templates. Comes after what it makes suggestions for. */
export const completions: Feature = {
  name: "completions",
  create: ({ prompts, resourceTemplates, settings: { dynamic } }) => ({
    implement({ options, toContext, earlier }) {
      const isOffered =
        hasCompletions(prompts, resourceTemplates) || dynamic.has("prompts") || dynamic.has("resources");
      if (!isOffered) return { handlers: {} };
      const { result } = options.envelope;
      return {
        handlers: {
          async complete(params, call) {
            return { ...result, ...(await completeArgument(params, earlier, toContext(call))) };
          },
        },
      };
    },
  }),
};
