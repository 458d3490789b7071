import { createRoundTripInputRunner } from "./session-input.ts";
import { createInputScopes } from "./input-request-context.ts";
import type { ServerRequestState } from "../definition.ts";
import type { Feature } from "../feature.ts";
import type { AnyServerDefinition } from "../any-definition.ts";

/** Input requests where every revision of a program has sessions: they are sent as requests to the client. */
export const sessionInput: Feature = {
  name: "clientRequests",
  createInput:
    (_parts, { requestState }: AnyServerDefinition & ServerRequestState) =>
    (revision, askForTask) => ({
      createScope: createInputScopes(revision, askForTask),
      inputRunner: createRoundTripInputRunner(requestState?.clock),
    }),
};
