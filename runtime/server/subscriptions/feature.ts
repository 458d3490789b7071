import { listKinds } from "../../protocol/methods/list-kinds.ts";
import { findProvided, type Feature } from "../feature.ts";
import { implementListening } from "./listen.ts";
import { Listeners } from "./listeners.ts";

/** Requests waiting for change notifications, at revisions with such requests. */
export const subscriptions: Feature = {
  name: "listening",
  follows: ["resources", "taskExtension"],
  create({ sessions, lists, settings: { maxSubscriptions } }) {
    const listeners = new Listeners();
    sessions.attach(listeners);
    return {
      implement({ revision }, { features }) {
        if (!listKinds.some((kind) => lists.isOffered(kind))) return { handlers: {} };
        const isUsable = findProvided(features, "isUsable") ?? isNever;
        const more = findProvided(features, "listen");
        return { handlers: implementListening({ revision, listeners, maxSubscriptions, isUsable, more }) };
      },
    };
  },
};

function isNever(): boolean {
  return false;
}
