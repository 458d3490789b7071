import { createAskedRounds } from "../asked-rounds.ts";
import type { Feature } from "../feature.ts";

/** Questions to the client where every revision of a program has sessions: they are requests. */
export const questions: Feature = {
  name: "questions",
  create: (_parts, { rounds }) => ({
    implement: () => ({ handlers: {} }),
    rounds: () => createAskedRounds(rounds?.clock),
  }),
};
