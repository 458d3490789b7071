import { createAskedRounds } from "../asked-rounds.ts";
import type { Feature } from "../feature.ts";
import { createReplayedRounds } from "../replayed-rounds.ts";
import { toRoundSettings } from "../round-options.ts";

/** Calls that need input of the client: in rounds where each request stands alone, and by requests elsewhere. */
export const rounds: Feature = {
  name: "rounds",
  create(_parts, source) {
    const settings = toRoundSettings(source);
    return {
      implement: () => ({ handlers: {} }),
      rounds: (revision) =>
        revision.lifecycle === "per-request" ? createReplayedRounds(settings) : createAskedRounds(settings.clock),
    };
  },
};
