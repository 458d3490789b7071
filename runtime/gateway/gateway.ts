import { isObject, type Extension, type RequestRow, type Revision } from "../../generated/support.ts";
import { readMirrors, type Mirror } from "../codec/mirror.ts";
import { createAcceptor, type Acceptor } from "../lifecycle/handshake.ts";
import { findRow } from "../common/rows.ts";
import { missingCapability } from "../rpc/alone.ts";
import type { CallContext } from "../rpc/call.ts";
import type { Connection } from "../rpc/peer.ts";
import type { OnError } from "../rpc/report.ts";
import { isOpen, type Capabilities, type ProgramInfo, type Session } from "../rpc/session.ts";
import { createExtending } from "../server/extensions.ts";
import { implementListening, type ListenMore, type ListenParams } from "../server/listen.ts";
import { createLiveSessions, type LiveSessions } from "../server/live-sessions.ts";
import type { HttpService } from "../transport/http/settings.ts";
import { knownExtensions, toServed, toSpoken } from "./extensions.ts";
import { openPlace, type ServerPlace } from "./place.ts";
import { Pool } from "./pool.ts";
import { SessionFront } from "./session-front.ts";
import { toClientCapabilitiesOf } from "./shapes.ts";
import { StatelessFront } from "./stateless-front.ts";
import { Upstream, type Principal, type UpstreamOptions } from "./upstream.ts";

/** A server as clients of every revision see it, whatever it speaks itself. It can be served over any transport. */
export interface Gateway extends HttpService {
  readonly accept: Acceptor;
  /** What the server behind it says about itself. */
  readonly info: ProgramInfo;
  /** The revision that is spoken to the server. */
  readonly revision: Revision;
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
  /** Told about every failure that clients only learn in general terms. */
  readonly onError?: OnError;
  /** Milliseconds that a client may take to come back with answers, where it has no session. Default 10 minutes. */
  readonly patience?: number;
}

/**
 * Connects to a server, and serves it at every revision. Each session of a client is a session of its own with the server; clients without one
 * share a few, one call at a time on each.
 */
export async function createGateway(place: ServerPlace, options: GatewayOptions): Promise<Gateway> {
  const { extensions = knownExtensions, onError = () => {}, patience = 600_000 } = options;
  const upstreams: UpstreamOptions = {
    open: openPlace(place),
    revisions: toSpoken(options.revisions, extensions),
    onError,
  };
  const sessions = createLiveSessions(1_000);
  const main = await Upstream.open(upstreams, gatewayItself, () => ({
    ask: (method) => Promise.reject(new Error(`Nobody can be asked ${method} now.`)),
    tell: (handler, params) => tellListeners(sessions, handler, params),
  }));
  const { serverInfo, serverCapabilities, instructions, session: known } = main.connection;
  const revisions = toServed(options.revisions, extensions, known);
  const pool = new Pool(upstreams);
  const stateless = new StatelessFront(pool, patience);
  const mirrors = await readAllMirrors(main);
  const { guard } = createExtending([]);
  const fronts = new WeakMap<Session, SessionFront>();
  const frontOf = (session: Session): SessionFront | StatelessFront =>
    session.revision.lifecycle === "handshake" ? (fronts.get(session) ?? stateless) : stateless;
  const forward = (row: RequestRow, params: unknown, call: CallContext): Promise<unknown> =>
    frontOf(call.session).forward(row, params, call);
  const open = new Set<Connection>();
  const accept = createAcceptor({
    info: serverInfo,
    ...(instructions !== undefined && { instructions }),
    revisions,
    capabilities: (revision) => toClientCapabilitiesOf(serverCapabilities, revision),
    handlers: (revision) => ({
      ...guard(createForwarders(revision, serverCapabilities, forward), revision),
      ...implementWatching(revision, { sessions, main }),
      rootsListChanged: (_params: unknown, { session }: Connection) => session && fronts.get(session)?.rootsChanged(),
    }),
    onError,
    onOpen(connection) {
      const { session } = connection;
      if (!session) return;
      const front = new SessionFront(upstreams, connection, session);
      fronts.set(session, front);
      open.add(connection);
      void connection.closed.then(() => {
        open.delete(connection);
        return front.close();
      });
    },
  });
  return {
    revisions,
    accept,
    info: serverInfo,
    revision: main.revision,
    readMirrors: (method, params) => findMirrors(mirrors, method, params),
    async close() {
      await Promise.all([...open].map((connection) => connection.close()));
      await sessions.close();
      await Promise.all([stateless.close(), main.close()]);
    },
  };
}

/** For what concerns no client: what the server is, and its changes. */
const gatewayItself: Principal = { info: { name: "gateway", version: "1.0.0" }, capabilities: {} };

type Forward = (row: RequestRow, params: unknown, call: CallContext) => Promise<unknown>;

/** A handler for every request of a revision that the server can answer, in its own way. */
function createForwarders(revision: Revision, capabilities: Capabilities, forward: Forward): object {
  const rows = Object.values(revision.clientRequests).filter((row) => !answeredHere.has(row.handler));
  const open = rows.filter(({ gate }) => !gate || isDeclared(gate.path, capabilities));
  return Object.fromEntries(
    open.map((row) => [row.handler, (params: unknown, call: CallContext) => forward(row, params, call)]),
  );
}

const answeredHere: ReadonlySet<string> = new Set(["initialize", "ping", "discover", "subscriptionsListen"]);

function isDeclared(path: readonly string[], capabilities: Capabilities): boolean {
  const found = path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), capabilities);
  return found !== undefined && found !== false;
}

/** Who listens hears of everything that the server tells the gateway; resources are subscribed to for as long as somebody listens. */
function implementWatching(
  revision: Revision,
  { sessions, main }: { readonly sessions: LiveSessions; readonly main: Upstream },
): object {
  const more = ignoreTasks(revision);
  const { subscriptionsListen } = implementListening({ revision, sessions, isUsable: () => true, more });
  if (!subscriptionsListen) return {};
  return {
    async subscriptionsListen(params: ListenParams, call: CallContext): Promise<object> {
      for (const uri of params.notifications.resourceSubscriptions ?? []) await main.subscribe(uri).catch(() => {});
      return subscriptionsListen(params, call);
    },
  };
}

/** Tasks of the server are not told of: who asks for that learns it from what is acknowledged, and asks for the tasks instead. */
function ignoreTasks(revision: Revision): ListenMore {
  const gate = findRow(revision.clientRequests, "getTask")?.needs;
  return async ({ taskIds }, { session }) => {
    if (taskIds !== undefined && gate && !isOpen(gate, session)) throw missingCapability(revision, gate);
    return { filter: {}, topics: [] };
  };
}

function tellListeners({ listeners }: LiveSessions, handler: string, params: object): void {
  const uri = "uri" in params ? params.uri : undefined;
  if (handler === "resourceUpdated" && typeof uri === "string") listeners.tellUpdated([uri]);
  else listeners.tell(handler, {});
}

/** Which arguments have to be in headers, by tool. */
async function readAllMirrors(main: Upstream): Promise<ReadonlyMap<string, readonly Mirror[]>> {
  const found = new Map<string, readonly Mirror[]>();
  if (main.connection.serverCapabilities.tools === undefined) return found;
  const page = await main.request("tools/list", {}, {});
  const tools = isObject(page) && Array.isArray(page.tools) ? page.tools.filter(isObject) : [];
  for (const { name, inputSchema } of tools) if (typeof name === "string") found.set(name, readMirrors(inputSchema));
  return found;
}

function findMirrors(
  mirrors: ReadonlyMap<string, readonly Mirror[]>,
  method: string,
  params: unknown,
): readonly Mirror[] {
  const name = isObject(params) && method === "tools/call" ? params.name : undefined;
  return (typeof name === "string" ? mirrors.get(name) : undefined) ?? [];
}
