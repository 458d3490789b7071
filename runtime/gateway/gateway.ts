import { isObject, type Extension, type RequestRow, type Revision } from "../../generated/support.ts";
import { createAcceptor, type Acceptor } from "../lifecycle/handshake.ts";
import type { CallContext } from "../rpc/call.ts";
import { ClosedError } from "../rpc/errors.ts";
import type { Connection } from "../rpc/peer.ts";
import type { OnError } from "../rpc/report.ts";
import type { Capabilities, ProgramInfo, Session } from "../rpc/session.ts";
import { createExtending } from "../server/extensions.ts";
import { implementListening, type ListenMore, type ListenParams } from "../server/listen.ts";
import { Listeners } from "../server/listeners.ts";
import { tooMany } from "../server/subscriptions.ts";
import { knowsTasks } from "../tasks/task.ts";
import type { TaskOptions } from "../tasks/task-options.ts";
import type { HttpService } from "../transport/http/settings.ts";
import { knownExtensions, toServed, toSpoken } from "./extensions.ts";
import { openPlace, type ServerPlace } from "./place.ts";
import { Pool } from "./pool.ts";
import { SessionFront } from "./session-front.ts";
import { toClientCapabilitiesOf } from "./shapes.ts";
import { StatelessFront } from "./stateless-front.ts";
import { TaskDesk } from "./task-desk.ts";
import { Upstream, type Listener, type Principal, type UpstreamOptions } from "./upstream.ts";
import { Watch } from "./watch.ts";

/** A server as clients of every revision see it, whatever it speaks itself. It can be served over any transport. */
export interface Gateway extends HttpService {
  readonly accept: Acceptor;
  /** For clients whose session ends with each request: nobody could come back for a task that begins in it. */
  readonly acceptBriefly: Acceptor;
  /** What the server behind it says about itself. */
  readonly info: ProgramInfo;
  /** The revision that is spoken to the server. */
  readonly revision: Revision;
  /** Why the server has ended the session of a client, if it has. */
  lossOf(connection: Connection): Error | undefined;
  /** Ends every connection, to both sides. */
  close(): Promise<void>;
}

/** What a gateway needs to know. */
export interface GatewayOptions {
  /** The revisions that are spoken, to both sides: newest first. */
  readonly revisions: readonly Revision[];
  /**
   * The extensions that are passed on, between a server and a client that both declare them. Default: those of this package. What others add
   * to the protocol is not known here, so they are not announced.
   */
  readonly extensions?: readonly Extension[];
  /** How tasks are kept that stand for those of a server which has them in another way than its clients, or in sessions. */
  readonly tasks?: TaskOptions;
  /** Told about every failure that clients only learn in general terms. */
  readonly onError?: OnError;
  /** Milliseconds that a client may take to come back with answers, where it has no session. Default 10 minutes. */
  readonly patience?: number;
  /**
   * Most calls of clients without a session that are at the server at once: each has a connection, and where the server is a program, a process.
   * Others wait. Half of them, and no more, may be waiting for answers of their clients: then the one that has waited longest is given up.
   * At least 2, default 100.
   */
  readonly maxConnections?: number;
  /**
   * Milliseconds without an answer or progress after which a request to the server fails, and is cancelled. Default: none, how long is too
   * long the client knows, and what it cancels is cancelled at the server.
   */
  readonly silence?: number;
  /** Aborted when nothing shall be opened to the server any more: what is being opened is given up. */
  readonly signal?: AbortSignal;
}

/**
 * Connects to a server, and serves it at every revision. Each session of a client is a session of its own with the server; clients without one
 * share a few, one call at a time on each.
 */
export async function createGateway(place: ServerPlace, options: GatewayOptions): Promise<Gateway> {
  const {
    extensions = knownExtensions,
    onError = () => {},
    patience = 600_000,
    maxConnections = 100,
    silence = Infinity,
  } = options;
  if (!(maxConnections >= 2))
    throw new Error(`maxConnections is ${maxConnections}: use 2 or more, or leave it out for 100.`);
  const ended = new AbortController();
  const upstreams: UpstreamOptions = {
    open: openPlace(place),
    revisions: toSpoken(options.revisions, extensions),
    onError,
    silence,
    signal: options.signal ? AbortSignal.any([options.signal, ended.signal]) : ended.signal,
  };
  const listeners = new Listeners();
  const main = await Watch.open(upstreams, (handler, params) => tellListeners(listeners, handler, params));
  const { tools } = main;
  const { serverInfo, serverCapabilities, instructions, revision, session: server } = main.connection;
  const revisions = toServed(options.revisions, extensions, server);
  const pool = new Pool(upstreams, maxConnections);
  const openFor = (principal: Principal, listener: Listener): Promise<Upstream> =>
    Upstream.open(upstreams, principal, () => listener);
  const desk = new TaskDesk({ server, listeners, tools, tasks: options.tasks, onError, open: openFor });
  const stateless = new StatelessFront(pool, desk, { patience, mostSuspended: Math.floor(maxConnections / 2) });
  const { guard } = createExtending([]);
  const fronts = createFronts(upstreams, { desk, stateless });
  const createAccept = ({ lasts }: { readonly lasts: boolean }): Acceptor => {
    const hasOwn = (revision: Revision): boolean => lasts || revision.lifecycle === "per-request";
    return createAcceptor({
      info: serverInfo,
      ...(instructions !== undefined && { instructions }),
      revisions,
      capabilities: (revision) => ({
        ...toClientCapabilitiesOf(serverCapabilities, revision),
        ...(hasOwn(revision) && desk.capabilitiesAt(revision)),
      }),
      handlers: (revision) => ({
        ...guard(
          {
            ...createForwarders(revision, serverCapabilities, fronts.forward),
            ...(hasOwn(revision) && desk.handlersAt(revision)),
          },
          revision,
        ),
        ...implementWatching(revision, { listeners, main, more: desk.listenAt(revision) }),
        rootsListChanged: (_params: unknown, connection: Connection) => fronts.rootsChanged(connection),
      }),
      onError,
      onOpen: fronts.add,
      timeouts: endless,
    });
  };
  return {
    revisions,
    accept: createAccept({ lasts: true }),
    acceptBriefly: createAccept({ lasts: false }),
    info: serverInfo,
    revision,
    lossOf: fronts.lossOf,
    readMirrors: (method, params) => tools.mirrorsOf(method, params),
    async close() {
      ended.abort(new ClosedError("The gateway closes"));
      await desk.close();
      await fronts.close();
      await listeners.close();
      await Promise.all([stateless.close(), main.close()]);
    },
  };
}

/** Between a client and a server it is for them to say how long they wait. */
const endless = { handler: Infinity, request: Infinity, work: Infinity, wait: Infinity, total: Infinity } as const;

/** The clients of a gateway. */
interface Fronts {
  readonly forward: Forward;
  rootsChanged(connection: Connection): Promise<void> | undefined;
  lossOf(connection: Connection): Error | undefined;
  /** A client has opened a session. */
  add(connection: Connection): void;
  /** Ends every session. */
  close(): Promise<void>;
}

/** A session of a client is one with the server; all others share a front. */
function createFronts(
  upstreams: UpstreamOptions,
  { desk, stateless }: { readonly desk: TaskDesk; readonly stateless: StatelessFront },
): Fronts {
  const fronts = new WeakMap<Session, SessionFront>();
  const open = new Set<Connection>();
  const frontOf = (session: Session): SessionFront | StatelessFront =>
    session.revision.lifecycle === "handshake" ? (fronts.get(session) ?? stateless) : stateless;
  return {
    forward: (row, params, call) => frontOf(call.session).forward(row, params, call),
    rootsChanged: ({ session }) => session && fronts.get(session)?.rootsChanged(),
    lossOf: ({ session }) => session && fronts.get(session)?.loss,
    add(connection) {
      const { session } = connection;
      if (!session) return;
      const front = new SessionFront(upstreams, { connection, session, desk });
      fronts.set(session, front);
      open.add(connection);
      void connection.closed.then(() => {
        open.delete(connection);
        return front.close();
      });
    },
    async close() {
      await Promise.all([...open].map((connection) => connection.close()));
    },
  };
}

type Forward = (row: RequestRow, params: unknown, call: CallContext) => Promise<unknown>;

/** A handler for every request of a revision that the server can answer, in its own way. */
function createForwarders(revision: Revision, capabilities: Capabilities, forward: Forward): object {
  const isOwnTasks = knowsTasks(revision);
  const rows = Object.values(revision.clientRequests).filter(
    ({ handler }) => !answeredHere.has(handler) && !(isOwnTasks && taskHandlers.has(handler)),
  );
  const open = rows.filter(({ gate }) => !gate || isDeclared(gate.path, capabilities));
  return Object.fromEntries(
    open.map((row) => [row.handler, (params: unknown, call: CallContext) => forward(row, params, call)]),
  );
}

const answeredHere: ReadonlySet<string> = new Set(["initialize", "ping", "discover", "subscriptionsListen"]);

/** Where clients ask for tasks, theirs are those of the gateway. */
const taskHandlers: ReadonlySet<string> = new Set(["getTask", "getTaskPayload", "cancelTask", "listTasks"]);

function isDeclared(path: readonly string[], capabilities: Capabilities): boolean {
  const found = path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), capabilities);
  return found !== undefined && found !== false;
}

/** Who listens hears of everything that the server tells the gateway; resources are subscribed to for as long as somebody listens. */
function implementWatching(
  revision: Revision,
  { listeners, main, more }: { readonly listeners: Listeners; readonly main: Watch; readonly more: ListenMore },
): object {
  const { subscriptionsListen } = implementListening({
    revision,
    listeners,
    mostSubscriptions,
    isUsable: () => true,
    more,
  });
  if (!subscriptionsListen) return {};
  return {
    async subscriptionsListen(params: ListenParams, call: CallContext): Promise<object> {
      const uris = new Set(params.notifications.resourceSubscriptions);
      if (uris.size > mostSubscriptions) throw tooMany(mostSubscriptions);
      const leaves = await Promise.all([...uris].map((uri) => main.hear(uri)));
      try {
        return await subscriptionsListen(params, call);
      } finally {
        for (const leave of leaves) leave();
      }
    },
  };
}

/** Of one request to listen. */
const mostSubscriptions = 1_000;

function tellListeners(listeners: Listeners, handler: string, params: object): void {
  const uri = "uri" in params ? params.uri : undefined;
  if (handler === "resourceUpdated" && typeof uri === "string") listeners.tellUpdated([uri]);
  else listeners.tell(handler, {});
}
