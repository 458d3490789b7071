import { isObject, type Revision } from "../../generated/support.ts";
import { UnreachableError } from "../jsonrpc/errors.ts";
import { toProgressRate } from "../protocol/peer/progress.ts";
import type { CallContext } from "../protocol/session/call-context.ts";
import type { Connection } from "../protocol/session/connection.ts";
import type { Session, SessionConverter } from "../protocol/session/session.ts";
import type { TaskRetry } from "../stores/task-store.ts";

/** Creates the call of a task begun by another node. Its requestor has no connection here: it is reached through the task only. */
export function createStoredCall(
  id: string,
  { params, client, identity }: TaskRetry,
  { revision, converter }: { readonly revision: Revision; readonly converter?: SessionConverter | undefined },
): CallContext {
  const own = { info: undefined, capabilities: {} };
  const session: Session = { revision, role: "server", own, peer: client, instructions: undefined, converter };
  const meta = "_meta" in params && isObject(params._meta) ? params._meta : {};
  return {
    requestId: id,
    session,
    revision,
    meta,
    signal: new AbortController().signal,
    origin: identity && { identity },
    connection: createConnection(session),
    progressRate: toProgressRate(undefined),
    progress: async () => {},
    request: unreachable,
    notify: async () => {},
  };
}

function createConnection(session: Session): Connection {
  return {
    state: "DISCONNECTED",
    session,
    closed: Promise.resolve(undefined),
    request: unreachable,
    notify: async () => {},
    close: async () => {},
  };
}

async function unreachable(): Promise<never> {
  throw new UnreachableError("The requestor has no connection to the node that runs the task");
}
