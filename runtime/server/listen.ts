import { isObject, type NotificationRow, type Revision } from "../../generated/support.ts";
import type { ListKind } from "../common/lists.ts";
import { findRow } from "../common/rows.ts";
import type { CallContext } from "../rpc/call.ts";
import { readMetaKeys } from "../rpc/claim.ts";
import { filterMembers, type ListenFilter } from "./listeners.ts";
import { tooMany, type LiveSessions } from "./live-sessions.ts";

/** What listening needs of a server. */
export interface ListenOptions {
  readonly revision: Revision;
  readonly sessions: LiveSessions;
  /** Whether a client may ask for this URI at all. */
  has(uri: string, call: CallContext): boolean;
}

/** Params of a request to listen. */
export interface ListenParams {
  readonly notifications: ListenFilter;
}

/**
 * Answers requests to listen, where the revision has them. They are acknowledged at once, told of changes, and answered only when the server
 * ends them.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/patterns/subscriptions
 */
export function implementListening(options: ListenOptions): {
  subscriptionsListen?(params: ListenParams, call: CallContext): Promise<object>;
} {
  const { revision, sessions, has } = options;
  const acknowledged = findRow(revision.serverNotifications, "subscriptionsAcknowledged");
  const tag = acknowledged && readMetaKeys(revision).subscription;
  if (!acknowledged || tag === undefined) return {};
  return {
    async subscriptionsListen({ notifications }, call) {
      const filter = toHonoured(notifications, call, (uri) => has(uri, call));
      if ((filter.resourceSubscriptions?.length ?? 0) > sessions.mostSubscriptions)
        throw tooMany(sessions.mostSubscriptions);
      const sent = acknowledge(call, { acknowledged, filter, tag });
      // At once, even if the client reads slowly: what changes meanwhile comes after the acknowledgement.
      const leave = sessions.listeners.add(call, filter, tag);
      await sent.then(() => ended(call.signal)).finally(leave);
      return { _meta: { [tag]: call.requestId } };
    },
  };
}

/** What is not offered, or not known to this client, is left out. */
function toHonoured(asked: ListenFilter, call: CallContext, has: (uri: string) => boolean): ListenFilter {
  const { capabilities } = call.session.own;
  const offers = (kind: ListKind, feature: string): boolean => {
    const area = capabilities[kind];
    return isObject(area) && area[feature] === true;
  };
  const lists = kinds.filter((kind) => asked[filterMembers[kind]] === true && offers(kind, "listChanged"));
  const uris = offers("resources", "subscribe") ? [...new Set(asked.resourceSubscriptions)].filter(has) : [];
  return {
    ...Object.fromEntries(lists.map((kind) => [filterMembers[kind], true])),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  };
}

interface Acknowledgement {
  readonly acknowledged: NotificationRow;
  readonly filter: ListenFilter;
  readonly tag: string;
}

/** The first message of every subscription. */
function acknowledge(call: CallContext, { acknowledged, filter, tag }: Acknowledgement): Promise<void> {
  return call.notify(acknowledged, { notifications: filter, _meta: { [tag]: call.requestId } });
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

const kinds: readonly ListKind[] = ["tools", "prompts", "resources"];
