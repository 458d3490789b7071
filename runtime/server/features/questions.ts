import { createAskedRounds } from "../asked-rounds.ts";
import { createAskingScopes } from "../asking-scope.ts";
import type { ServerRounds } from "../definitions.ts";
import type { Feature } from "../feature.ts";
import type { ServerSource } from "../source.ts";

/** Questions to the client where every revision of a program has sessions: they are requests. */
export const questions: Feature = {
  name: "questions",
  createScopes: createAskingScopes,
  create: (_parts, { rounds }: ServerSource & ServerRounds) => ({
    implement: () => ({ handlers: {} }),
    rounds: () => createAskedRounds(rounds?.clock),
  }),
};
