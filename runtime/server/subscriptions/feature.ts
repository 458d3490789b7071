import { listKinds } from "../../protocol/methods/list-kinds.ts";
import type { Feature } from "../feature.ts";
import { implementListening } from "./listen.ts";
import { Listeners } from "./listeners.ts";

/** Requests that wait for change notifications, at revisions that have them. Must follow the features that change. */
export const subscriptions: Feature = {
  name: "listening",
  create({ sessions, settings: { maxSubscriptions } }) {
    const listeners = new Listeners();
    sessions.attach(listeners);
    return {
      implement({ revision, isOffered, earlier }) {
        if (!listKinds.some(isOffered)) return { handlers: {} };
        const isUsable = earlier.find((implemented) => implemented.isUsable)?.isUsable ?? isNever;
        const more = earlier.find((implemented) => implemented.listen)?.listen;
        return { handlers: implementListening({ revision, listeners, maxSubscriptions, isUsable, more }) };
      },
    };
  },
};

function isNever(): boolean {
  return false;
}
