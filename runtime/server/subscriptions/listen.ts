import { isObject, type NotificationRow, type Revision } from "../../../generated/support.ts";
import { chain } from "../../internal/maybe-async.ts";
import { filterMembers, type ListenFilter } from "../../protocol/methods/subscription-filter.ts";
import { listKinds, type ListKind } from "../../protocol/methods/list-kinds.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { readMetaKeys } from "../../protocol/session/request-metadata.ts";
import type { ServedHandlers } from "../methods/served-handlers.ts";
import type { Listeners } from "./listeners.ts";
import { countCharacters, full, tooMany } from "../resources/subscriptions.ts";
import type { ReadExtensionFilter, AddedNotifications } from "../feature.ts";

/** Dependencies and limits of subscription requests. */
export interface SubscriptionListenOptions {
  readonly revision: Revision;
  readonly listeners: Listeners;
  /** Maximum number of subscriptions of one request. */
  readonly maxSubscriptions: number;
  /** True if a client may read the resource behind a URI. */
  isUsable(uri: string, call: CallContext): boolean;
  /** Reader of the filter members defined by an extension. */
  readonly more?: ReadExtensionFilter | undefined;
}

/**
 * Handles subscription requests, at revisions with such requests. The server acknowledges each request immediately and then sends notifications. It
 * sends the result only when it ends the subscription.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export function implementListening(options: SubscriptionListenOptions): ServedHandlers {
  const { revision, listeners, maxSubscriptions, isUsable, more } = options;
  const acknowledged = findRow(revision.serverNotifications, "subscriptionsAcknowledged");
  const tag = acknowledged && readMetaKeys(revision).subscription;
  if (!acknowledged || tag === undefined) return {};
  return {
    subscriptionsListen({ notifications }, call) {
      checkFilterSize(notifications, maxSubscriptions);
      const filter = toHonoured(notifications, call, (uri) => isUsable(uri, call));
      return chain(more?.(notifications, call) ?? nothing, (added) => {
        const subscribed = { filter, topics: added.topics };
        const isTooLong = (filter.resourceSubscriptions?.length ?? 0) + added.topics.length > maxSubscriptions;
        if (isTooLong || !listeners.hasRoom(call, subscribed)) {
          added.leave?.();
          throw isTooLong ? tooMany(maxSubscriptions) : full();
        }
        const sent = acknowledge(call, { acknowledged, filter: { ...filter, ...added.filter }, tag });
        // The listener is added immediately, even if the client reads slowly: later changes follow the acknowledgement.
        const removeListener = listeners.add(call, subscribed, tag);
        const leave = (): void => {
          removeListener();
          added.leave?.();
        };
        return waitUntilEnded(call, { sent, leave, ended: added.ended, result: { _meta: { [tag]: call.requestId } } });
      });
    },
  };
}

/**
 * Checks the size of all lists of a filter. It is checked before any entry is, because each is matched against every template.
 *
 * @throws {RpcError} when there are too many entries, or too many characters in them
 */
export function checkFilterSize(asked: object, maxSubscriptions: number): void {
  const entries = Object.values(asked).flatMap((value): readonly unknown[] => (Array.isArray(value) ? value : []));
  if (entries.length > maxSubscriptions) throw tooMany(maxSubscriptions);
  if (countCharacters(entries.map(String)) > mostCharacters) throw tooMany(mostCharacters, " characters", "request");
}

/** Characters of all entries of one request. A client names all of its resources in one. */
const mostCharacters = 256 * 1024;

const nothing: AddedNotifications = { filter: {}, topics: [] };

/** Keeps the accepted part of a filter: kinds the server does not offer, and resources the client may not read, are left out. */
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

/** Sends the acknowledgement, which is the first message of every subscription. */
function acknowledge(call: CallContext, { acknowledged, filter, tag }: Acknowledgement): Promise<void> {
  return call.notify(acknowledged, { notifications: filter, _meta: { [tag]: call.requestId } });
}

/** Open subscription. */
interface Subscription {
  /** Settles when the acknowledgement has been sent. */
  readonly sent: Promise<void>;
  /** Removes the listener, and ends what the extension has begun. May be called again. */
  readonly leave: () => void;
  /** Aborted when the server ends the subscription. */
  readonly ended: AbortSignal | undefined;
  readonly result: object;
}

/** Returns the result when the call or the subscription ends. Rejects if the acknowledgement cannot be sent. One promise, because there may be thousands of subscriptions. */
function waitUntilEnded(call: CallContext, { sent, leave, ended, result }: Subscription): Promise<object> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      leave();
      resolve(result);
    };
    sent.catch((error: unknown) => {
      leave();
      reject(error);
    });
    if (ended?.aborted) end();
    else ended?.addEventListener("abort", end, { once: true });
    if (call.onAbort) call.onAbort(end);
    else if (call.signal.aborted) end();
    else call.signal.addEventListener("abort", end, { once: true });
  });
}
