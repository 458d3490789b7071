import { createPendingRequests } from "../../protocol/peer/outgoing-requests.ts";
import { createRoundTripInputRunner } from "./session-input.ts";
import { createInputScopes } from "./input-request-context.ts";
import type { ServerRequestState } from "../definition.ts";
import type { Feature } from "../feature.ts";
import { createReplayingInputRunner } from "./input-required-result.ts";
import { toRequestStateSettings } from "./request-state-options.ts";
import type { AnyServerDefinition } from "../any-definition.ts";

/** Calls that need input of the client: in rounds of stateless requests, and by requests to the client at other revisions. */
export const input: Feature = {
  name: "inputRequests",
  createPendingRequests,
  createInput({ cluster }, source: AnyServerDefinition & ServerRequestState) {
    const settings = toRequestStateSettings(source, cluster);
    return (revision, askForTask) => ({
      createScope: createInputScopes(revision, askForTask),
      inputRunner:
        revision.lifecycle === "per-request"
          ? createReplayingInputRunner(settings)
          : createRoundTripInputRunner(settings.clock),
    });
  },
};

/** Input requests where no revision of a program has sessions: calls continue in rounds. */
export const statelessInput: Feature = {
  name: "statelessInput",
  createInput({ cluster }, source: AnyServerDefinition & ServerRequestState) {
    const inputRunner = createReplayingInputRunner(toRequestStateSettings(source, cluster));
    return (revision, askForTask) => ({ createScope: createInputScopes(revision, askForTask), inputRunner });
  },
};

/** Input requests where every revision of a program has sessions: they are sent as requests to the client. */
export const sessionInput: Feature = {
  name: "clientRequests",
  createPendingRequests,
  createInput:
    (_parts, { requestState }: AnyServerDefinition & ServerRequestState) =>
    (revision, askForTask) => ({
      createScope: createInputScopes(revision, askForTask),
      inputRunner: createRoundTripInputRunner(requestState?.clock),
    }),
};
