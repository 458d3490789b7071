import type { LifecycleMiddleware } from "../../lifecycle/lifecycle-middleware.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { Session } from "../../protocol/session/session.ts";
import { readAuth } from "../context.ts";
import { runRequest } from "../../protocol/peer/message-middleware.ts";
import type { RequestStep } from "./middleware.ts";
import { createOnce } from "../input/once.ts";
import type { AnyContext } from "../protocol-types.ts";

/** Returns the middleware around requests handled by the lifecycle itself: `initialize`, `ping`, `server/discover`. */
export function wrapLifecycle(steps: readonly RequestStep[]): LifecycleMiddleware | undefined {
  if (steps.length === 0) return undefined;
  return ({ method, params, session, call }, next) => {
    const context = toContext(call, session);
    return runRequest(
      steps,
      { method, params, role: "server", session, context },
      { call, handle: (given) => next({ params: given }) },
    );
  };
}

/** Creates a context without notifications and input requests: pings and the opening of sessions need none. */
function toContext(call: CallContext, session: Session): AnyContext {
  return {
    auth: readAuth(call.origin),
    client: session.peer,
    session,
    revision: session.revision.id,
    requestId: call.requestId,
    meta: call.meta,
    get signal() {
      return call.signal;
    },
    progress: nothing,
    log: nothing,
    notify: nothing,
    releaseConnection: () => false,
    once: createOnce(),
  };
}

async function nothing(): Promise<void> {}
