import { isObject, type NotificationRow, type Revision } from "../../../generated/support.ts";
import { filterMembers, type ListenFilter } from "../../protocol/subscription-filter.ts";
import { listKinds, type ListKind } from "../../protocol/list-kinds.ts";
import { findRow } from "../../protocol/method-rows.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import { readMetaKeys } from "../../protocol/request-metadata.ts";
import type { Listeners } from "./listeners.ts";
import { tooMany } from "../resources/subscriptions.ts";

/** What listening needs of a server. */
export interface ListenOptions {
  readonly revision: Revision;
  readonly listeners: Listeners;
  /** Most subscriptions of one request. */
  readonly mostSubscriptions: number;
  /** Whether a client may read what is behind a URI. */
  isUsable(uri: string, call: CallContext): boolean;
  /** What an extension adds. */
  readonly more?: ListenMore | undefined;
}

/** Reads what an extension has put into a filter: what of it is honoured, and its topics. */
export type ListenMore = (
  asked: Readonly<Record<string, unknown>>,
  call: CallContext,
) => Promise<{ readonly filter: object; readonly topics: readonly string[] }>;

/** Params of a request to listen. */
export interface ListenParams {
  readonly notifications: ListenFilter & { readonly [member: string]: unknown };
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
  const { revision, listeners, mostSubscriptions, isUsable, more } = options;
  const acknowledged = findRow(revision.serverNotifications, "subscriptionsAcknowledged");
  const tag = acknowledged && readMetaKeys(revision).subscription;
  if (!acknowledged || tag === undefined) return {};
  return {
    async subscriptionsListen({ notifications }, call) {
      if (countEntries(notifications) > mostSubscriptions) throw tooMany(mostSubscriptions);
      const filter = toHonoured(notifications, call, (uri) => isUsable(uri, call));
      const added = (await more?.(notifications, call)) ?? nothing;
      if ((filter.resourceSubscriptions?.length ?? 0) + added.topics.length > mostSubscriptions)
        throw tooMany(mostSubscriptions);
      const sent = acknowledge(call, { acknowledged, filter: { ...filter, ...added.filter }, tag });
      // At once, even if the client reads slowly: what changes meanwhile comes after the acknowledgement.
      const leave = listeners.add(call, { filter, topics: added.topics }, tag);
      await sent.then(() => ended(call.signal)).finally(leave);
      return { _meta: { [tag]: call.requestId } };
    },
  };
}

/** Entries of all lists of a filter. They are counted before any is looked at: each has to be matched against every template. */
function countEntries(asked: object): number {
  return Object.values(asked).reduce<number>((count, value) => count + (Array.isArray(value) ? value.length : 0), 0);
}

const nothing = { filter: {}, topics: [] } as const;

/** What is not offered, or not known to this client, is left out. */
function toHonoured(asked: ListenFilter, call: CallContext, isUsable: (uri: string) => boolean): ListenFilter {
  const { capabilities } = call.session.own;
  const offers = (kind: ListKind, feature: string): boolean => {
    const area = capabilities[kind];
    return isObject(area) && area[feature] === true;
  };
  const lists = listKinds.filter((kind) => asked[filterMembers[kind]] === true && offers(kind, "listChanged"));
  const uris = offers("resources", "subscribe") ? [...new Set(asked.resourceSubscriptions)].filter(isUsable) : [];
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
