import { isObject, type NotificationRow, type Revision } from "../../generated/support.ts";
import type { ClientConnection } from "../client/connect.ts";
import { createAcceptor, type Acceptor } from "../lifecycle/acceptor.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import type { MessageMiddleware } from "../protocol/peer/message-middleware.ts";
import type { Connection } from "../protocol/peer/peer.ts";
import { extensionOf } from "../protocol/revision/defined-extension.ts";
import type { Capabilities, Session } from "../protocol/session/session.ts";
import type { Telemetry } from "../protocol/session/telemetry.ts";
import { readAuth } from "../server/context.ts";
import { guardHandlers } from "../server/extensions/extension-support.ts";
import type { AddedNotifications, ReadExtensionFilter } from "../server/feature.ts";
import type { ServedHandlers } from "../server/methods/served-handlers.ts";
import { checkFilterSize, implementListening } from "../server/subscriptions/listen.ts";
import type { Listeners } from "../server/subscriptions/listeners.ts";
import { toClientCapabilitiesOf } from "./convert-messages.ts";
import type { Proxies } from "./proxy/proxies.ts";
import type { TaskBridge } from "./tasks/task-bridge.ts";
import type { UpstreamWatcher } from "./upstream/upstream-watcher.ts";

/** Parts of a gateway used by its clients. */
export interface ClientSide {
  /** Connection whose declarations the gateway presents as its own. */
  readonly server: ClientConnection;
  readonly revisions: readonly Revision[];
  readonly listeners: Listeners;
  readonly watcher: UpstreamWatcher;
  readonly proxies: Proxies;
  readonly bridge: TaskBridge;
  /** True if sessions last longer than a request. Only then they get tasks of the gateway: their clients can come back for them. */
  readonly hasSessions: boolean;
  readonly onError: OnError;
  readonly telemetry: Telemetry | undefined;
  readonly middleware: readonly MessageMiddleware[] | undefined;
}

/** Creates the acceptor of clients: requests are forwarded to the server, and subscriptions are served by the gateway. */
export function createClientAcceptor(options: ClientSide): Acceptor {
  const { server, revisions, listeners, watcher, proxies, bridge, hasSessions, onError, telemetry } = options;
  const { serverInfo, serverCapabilities, instructions } = server;
  const hasTasks = (revision: Revision): boolean => hasSessions || revision.lifecycle === "per-request";
  const accept = createAcceptor({
    info: serverInfo,
    ...(instructions !== undefined && { instructions }),
    revisions,
    capabilities: (revision) => ({
      ...toClientCapabilitiesOf(serverCapabilities, revision),
      ...(hasTasks(revision) && bridge.at(revision).capabilities),
    }),
    handlers: (revision) => ({
      ...guardHandlers(
        {
          ...createForwarders(revision, serverCapabilities, (...request) => proxies.forward(...request)),
          ...(hasTasks(revision) && bridge.at(revision).handlers),
        },
        revision,
      ),
      ...implementWatching(revision, { listeners, watcher, more: bridge.at(revision).listen }),
      ...createNotifiers(revision, { proxies, watcher }),
      rootsListChanged: (_params: unknown, connection: Connection) => proxies.notifyRootsListChanged(connection),
    }),
    onError,
    ...(telemetry && { telemetry }),
    ...(options.middleware && { middleware: options.middleware }),
    onOpen: (connection) => proxies.add(connection),
    timeouts: endless,
  });
  return (...given) => {
    const connection = accept(...given);
    proxies.accept(connection);
    return connection;
  };
}

/** Timeouts of the gateway, all infinite: client and server decide how long they wait. */
const endless = { handler: Infinity, request: Infinity, work: Infinity, wait: Infinity, total: Infinity } as const;

/** Creates a handler for every request of a revision, as far as the server supports it. */
function createForwarders(revision: Revision, capabilities: Capabilities, forward: Proxies["forward"]): object {
  const rows = Object.values(revision.clientRequests).filter(
    ({ handler, gate }) => !ownMethods.has(handler) && gate?.path[0] !== ownCapability,
  );
  const open = rows.filter(({ gate }) => !gate || isDeclared(gate.path, capabilities));
  return Object.fromEntries(
    open.map((row) => [row.handler, (params: unknown, call: CallContext) => forward(row, params, call)]),
  );
}

/** Creates a handler for every notification of clients that belongs to an extension. Without a session, it goes to a server without sessions only. */
function createNotifiers(
  { clientNotifications }: Revision,
  { proxies, watcher }: Pick<ClientSide, "proxies" | "watcher">,
): object {
  const notify = (
    row: NotificationRow,
    params: unknown,
    { session, origin }: { readonly session: Session | undefined; readonly origin: unknown },
  ): Promise<void> | undefined => {
    if (session) return proxies.notifyServer(row, params, { session, principal: readAuth(origin)?.principal });
    const { revision } = watcher.connection;
    if (revision.lifecycle === "per-request") return watcher.connection.notify(row.method, params);
    throw new Error(`The notification ${row.method} has no session with the server; open a session to send it`);
  };
  const rows = Object.values(clientNotifications).filter((row) => extensionOf(row) !== undefined);
  return Object.fromEntries(
    rows.map((row) => [
      row.handler,
      (params: unknown, { session }: Connection, origin: unknown) => notify(row, params, { session, origin }),
    ]),
  );
}

const ownMethods: ReadonlySet<string> = new Set(["initialize", "ping", "discover", "subscriptionsListen"]);

/** Capability of tasks of the core: to clients, these are tasks of the gateway. */
const ownCapability = "tasks";

function isDeclared(path: readonly string[], capabilities: Capabilities): boolean {
  const found = path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), capabilities);
  return found !== undefined && found !== false;
}

/** Parts used by subscription requests. */
interface Watching {
  readonly listeners: Listeners;
  readonly watcher: UpstreamWatcher;
  readonly more: ReadExtensionFilter;
}

/**
 * Handles subscription requests. Subscribers receive all notifications of the server to the gateway. Resources are subscribed to while they have
 * subscribers.
 */
function implementWatching(revision: Revision, { listeners, watcher, more }: Watching): ServedHandlers {
  const lost = new WeakMap<CallContext, AbortSignal>();
  const { subscriptionsListen } = implementListening({
    revision,
    listeners,
    maxSubscriptions,
    isUsable: () => true,
    more: async (asked, call) => addEnd(await more(asked, call), lost.get(call)),
  });
  if (!subscriptionsListen) return {};
  return {
    async subscriptionsListen({ notifications }, call) {
      checkFilterSize(notifications, maxSubscriptions);
      const uris = new Set(notifications.resourceSubscriptions);
      const watch = await watcher.subscribe(uris, call.signal, readAuth(call.origin)?.principal);
      lost.set(call, watch.lost);
      try {
        const honoured = { ...notifications, resourceSubscriptions: watch.honoured };
        return await subscriptionsListen({ notifications: honoured }, call);
      } finally {
        watch.leave();
      }
    },
  };
}

/** Adds another signal to end a subscription request. */
function addEnd(added: AddedNotifications, other: AbortSignal | undefined): AddedNotifications {
  const signals = [added.ended, other].filter((signal) => signal !== undefined);
  return { ...added, ended: AbortSignal.any(signals) };
}

/** Maximum number of resources in one subscription request. */
const maxSubscriptions = 1_000;
