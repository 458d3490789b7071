import { createAskedRounds } from "../asked-rounds.ts";
import { createAskingScopes } from "../asking-scope.ts";
import type { ServerRounds } from "../definitions.ts";
import type { Feature } from "../feature.ts";
import { createReplayedRounds } from "../replayed-rounds.ts";
import { toRoundSettings } from "../round-options.ts";
import type { ServerSource } from "../source.ts";

/** Calls that need input of the client: in rounds where each request stands alone, and by requests elsewhere. */
export const rounds: Feature = {
  name: "rounds",
  createScopes: createAskingScopes,
  create(_parts, source: ServerSource & ServerRounds) {
    const settings = toRoundSettings(source);
    return {
      implement: () => ({ handlers: {} }),
      rounds: (revision) =>
        revision.lifecycle === "per-request" ? createReplayedRounds(settings) : createAskedRounds(settings.clock),
    };
  },
};
