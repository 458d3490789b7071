import type { Awaitable } from "../generated/support.ts";
import { pause, type Clock } from "../runtime/internal/timers.ts";
import type { Incoming, RequestId } from "../runtime/jsonrpc/message.ts";
import { BacklogError } from "../runtime/stores/engine-error.ts";
import type { Engine } from "./stores/engine.ts";
import type { NodeMessage } from "./stores/node-directory.ts";
import type { SessionKey, SessionStore } from "../runtime/stores/session-store.ts";
import type { SharedSession } from "./stores/shared-session-store.ts";
import type { ServedClients } from "../runtime/transport/http-server/served-clients.ts";
import type { HttpSession } from "../runtime/transport/http-server/session/session.ts";
import type {
  ForwardedPost,
  LiveSessions,
  LiveStream,
} from "../runtime/transport/http-server/session/session-directory.ts";
import type { RequestDirectory } from "../runtime/transport/http-server/session/session-streams.ts";
import { ClusterBroadcasts, type BroadcastNode, type OnListChanged } from "./cluster-broadcasts.ts";
import { ClusterTasks } from "./cluster-tasks.ts";
import { deliverMessage, noOrigin, type MessageHost } from "./deliver-message.ts";
import { drainSessions } from "./drain-sessions.ts";
import { ClusterStreams } from "./streams/cluster-streams.ts";
import { ListDigests } from "./list-digests.ts";
import { NodeLease } from "./node-lease.ts";
import { findNodeOf, nodeOfSession } from "./node-name.ts";
import { Relays } from "./relay/relays.ts";
import { SessionAccesses, toStoredId } from "./session-accesses.ts";
import { SharedSessionValues } from "./engine/session-values.ts";
import { SharedStates } from "./shared-states.ts";
import { StreamWatchers } from "./streams/stream-watchers.ts";
import { endLocalSession, endSharedSession } from "./engine/session-end.ts";
import { UnstoredEvents } from "./engine/unstored-events.ts";

/** Dependencies of a node. */
export interface ClusterNodeOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly lease: number;
  /** Characters of events to hold until the engine has stored them. */
  readonly maxUnstoredSize: number;
  readonly onListChanged?: OnListChanged | undefined;
  fail(thrown: unknown): void;
}

/** HTTP handler as a node of a cluster. */
export class ClusterNode {
  readonly store: SessionStore;
  readonly tasks: ClusterTasks;
  readonly relays: Relays;
  readonly streams: ClusterStreams;
  readonly requests: RequestDirectory;
  readonly #options: ClusterNodeOptions;
  readonly #lease: NodeLease;
  readonly #watchers: StreamWatchers;
  readonly #accesses: SessionAccesses;
  readonly #broadcastNode: BroadcastNode;
  readonly #unstored: UnstoredEvents;
  #sessions: LiveSessions | undefined;
  #streams: ReadonlyMap<string, LiveStream> = new Map();
  #broadcasts: ClusterBroadcasts | undefined;
  #states: SharedStates | undefined;
  /** Handling of the broadcasts so far. It waits for the reads of states in progress. */
  #received: Promise<unknown> | undefined;
  #relayCount = 0;
  #digests: ListDigests | undefined;
  readonly #messageHost: MessageHost = {
    stateChanged: (session) => this.#states?.changed(session),
    sendToListener: ({ session, text }) => this.#inBackground(() => this.streams.sendToListener(session, text)),
    end: (session) => this.#inBackground(() => endLocalSession(session, this.#options.engine)),
  };

  constructor(options: ClusterNodeOptions) {
    this.#options = options;
    const { engine, clock, lease, onListChanged, fail } = options;
    this.#broadcastNode = { nodes: engine.nodes, clock, onListChanged, fail };
    this.#watchers = new StreamWatchers(engine.nodes);
    this.#unstored = new UnstoredEvents(options.maxUnstoredSize);
    this.#lease = new NodeLease({
      nodes: engine.nodes,
      clock,
      lease,
      receiver: {
        message: (message) => this.#receive(message),
        broadcastReceived: (broadcast, position) => {
          this.#lease.position = position;
          if (broadcast.kind === "lists") this.#inBackground(() => this.#digests?.receive(broadcast));
          else this.#whenSettled(() => this.#broadcasts?.receive(this.#broadcastNode, broadcast));
        },
        missed: () => {
          this.#whenSettled(() => this.#broadcasts?.missed(this.#broadcastNode));
          this.#inBackground(() => this.#digests?.broadcast());
        },
        changed: (session, stream) => this.#watchers.changed(session, stream),
      },
      fail,
    });
    const { sessions } = engine;
    this.#accesses = new SessionAccesses({ sessions, clock, nodeName: () => this.name, fail });
    this.streams = new ClusterStreams({
      engine,
      clock,
      name: this.name,
      watchers: this.#watchers,
      unstored: this.#unstored,
      readStates: () => this.#states,
      isStable: () => this.#lease.isStable,
      send: (node, message) => this.#send(node, message),
      fail,
    });
    this.requests = {
      idPrefix: `${this.name}.`,
      prepareChange: (key, request) => {
        const session = this.#sessions?.findLive(key);
        return session && this.#states?.prepare(session, request);
      },
      ended: (key, id) => this.#accesses.end(key, [id]),
    };
    this.relays = new Relays({
      engine,
      events: engine.events,
      clock,
      watchers: this.#watchers,
      nodeName: () => this.name,
      nameStream: () => `${this.name}${(this.#relayCount += 1).toString(36)}`,
      isStable: () => this.#lease.isStable,
      send: (node, message) => this.#send(node, message),
      createStream: (key, stream) => this.streams.createShared(key, stream),
      follow: (key, position, following) => this.streams.follow(key, position, following),
      renew: ({ key, node }) => this.#inBackground(async () => void (await this.access(key, [], node))),
      releaseUnused: ({ key, node }, ids) => this.releaseUnused(key, ids, node),
      end: (key) => this.#inBackground(() => this.end(key)),
      fail,
    });
    this.tasks = new ClusterTasks({ engine, lease, self: this.#lease, fail });
    this.store = {
      ttl: sessions.ttl,
      add: (record) => this.#lease.register().then(() => sessions.add(record)),
      find: async (key) => (await engine.sessions.access(key, { node: this.name }))?.record,
      remove: (key) => this.end(key),
    };
  }

  get name(): string {
    return this.#lease.name;
  }

  /** Begins to receive what other nodes send for the sessions of this handler, and for the clients of its service. */
  start(sessions: LiveSessions, streams: ReadonlyMap<string, LiveStream>, clients?: ServedClients): void {
    const { engine, fail } = this.#options;
    this.#sessions = sessions;
    this.#streams = streams;
    this.relays.start(sessions);
    if (clients) {
      const broadcasts = (this.#broadcasts = ClusterBroadcasts.join(clients, this.#broadcastNode));
      const { clock, lease } = this.#options;
      this.#digests = new ListDigests({
        nodes: engine.nodes,
        clock,
        lease,
        self: this.#lease,
        describeLists: () => clients.describeLists?.() ?? new Map(),
        changed: (kind) => broadcasts.listDiffers(this.#broadcastNode, kind),
        fail,
      });
      this.#states = new SharedStates({
        engine,
        clients,
        clock,
        nodeName: () => this.name,
        findLive: (key) => sessions.findLive(key),
        end: (session) => this.#messageHost.end(session),
        fail,
      });
    }
    this.#inBackground(() => this.#register());
  }

  /** Returns a session, extends its lifetime, and reserves request ids for a node; by default for this one. */
  async access(key: SessionKey, reserve: readonly RequestId[], node?: string): Promise<SharedSession | undefined> {
    // Only what begins: responses and cancellations end what waits.
    if (reserve.length > 0 && this.#unstored.isFull)
      throw new BacklogError("Too many events wait for the engine; retry later");
    await this.#lease.ensure();
    const version = this.#states?.versionOf(this.#sessions?.findLive(key));
    return this.#accesses.access(key, { reserve, ...(version !== undefined && { version }), ...(node && { node }) });
  }

  /** True if a session has not ended. Its lifetime is not extended. */
  async isStored(key: SessionKey): Promise<boolean> {
    return (await this.#options.engine.sessions.readState(key)) !== undefined;
  }

  /** Applies the state found by an access to a session of this handler. */
  update(session: HttpSession, found: SharedSession): void {
    this.#states?.update(session, found);
  }

  /** Forwards a message of a client of HTTP with SSE to the node with its stream. Returns `false` when no node has it. */
  async forwardPost(key: SessionKey, { value, identity }: ForwardedPost): Promise<boolean> {
    const node = nodeOfSession(key.id);
    if (node === undefined || node === this.name) return false;
    const message = { kind: "post", session: key, value, ...(identity && { identity }) } as const;
    return (await this.#send(node, message)) === "sent";
  }

  /** Ends reservations of requests rejected before they ran, in the background. */
  releaseUnused(key: SessionKey, ids: readonly RequestId[], node: string = this.name): void {
    if (ids.length === 0) return;
    const release = { node, ids: ids.map(toStoredId), isUnused: true };
    this.#inBackground(() => this.#options.engine.sessions.release(key, release));
  }

  createValues(key: SessionKey): SharedSessionValues {
    const { engine, clock, fail } = this.#options;
    return new SharedSessionValues(key, { values: engine.values, clock, fail });
  }

  /** Ends a session on all nodes. */
  end(key: SessionKey): Promise<void> {
    const { engine, clock, fail } = this.#options;
    return endSharedSession(key, { engine, clock, name: this.name, isOver: () => this.#lease.isOver, fail });
  }

  /** Sends a message on to the node with the related request. Returns `false` when this is the node. */
  async forward(session: HttpSession, incoming: Incoming): Promise<boolean> {
    const node = await findNodeOf(incoming, session, this.#options.engine.sessions);
    if (node === undefined || node === this.name) return false;
    await this.#options.engine.nodes.send(node, { kind: "deliver", session: session.key, incoming });
    return true;
  }

  /** Sends the clients of sessions to other nodes, and waits for running requests. */
  drain(sessions: Iterable<HttpSession>, times: { readonly drain: number; readonly retry: number }): Promise<void> {
    return drainSessions(sessions, { clock: this.#options.clock, ...times });
  }

  /** Ends the lease of this node, after its streams have ended. */
  async leave(): Promise<void> {
    this.#digests?.stop();
    await this.#broadcasts?.leave(this.#broadcastNode);
    await this.#accesses.flush();
    await this.#lease.leave();
  }

  async #register(): Promise<void> {
    const isLate = await this.#lease.registerAtLast();
    await this.#digests?.broadcast();
    // Broadcasts before that were missed.
    if (isLate) this.#broadcasts?.missed(this.#broadcastNode);
  }

  /** Runs a function when the reads in progress have been applied, after earlier functions. */
  #whenSettled(run: () => void): void {
    const settled = this.#states?.settled;
    if (!settled && !this.#received) return run();
    const received: Promise<unknown> = Promise.all([this.#received, settled])
      .then(run)
      .catch(this.#options.fail)
      .finally(() => {
        if (this.#received === received) this.#received = undefined;
      });
    this.#received = received;
  }

  #receive(message: NodeMessage): void {
    if (message.kind === "task") return this.tasks.deliver(message);
    if (this.relays.receive(message) || message.kind === "listen") return;
    if (message.kind === "post") return this.#receivePost(message);
    this.relays.inOrder(message.session, () => {
      if (message.kind === "ended") this.#sessions?.searches.end(message.session.id);
      const session = this.#sessions?.findLive(message.session);
      if (session) deliverMessage(session, message, this.#messageHost);
      else if (message.kind === "ended") this.relays.cancel(message.session);
    });
  }

  /** Handles a message of a client of HTTP with SSE, if its stream is here. */
  #receivePost({ session, value, identity }: NodeMessage & { readonly kind: "post" }): void {
    const stream = this.#streams.get(session.id);
    if (stream?.key.owner !== session.owner) return;
    stream?.receive(value, { ...noOrigin, identity });
  }

  /**
   * Sends a message to a node. After an outage of the engine every node has to create its lease again, so a node without one counts as absent only when
   * this node has held its own for a while.
   */
  async #send(node: string, message: NodeMessage): Promise<"sent" | "absent"> {
    const { engine, clock, lease } = this.#options;
    for (;;) {
      const outcome = await engine.nodes.send(node, message);
      if (outcome === "sent" || this.#lease.isStable || this.#lease.isOver) return outcome;
      await pause(lease / attemptsPerLease, clock);
    }
  }

  #inBackground(run: () => Awaitable<void>): void {
    Promise.resolve().then(run).catch(this.#options.fail);
  }
}

/** Attempts to reach an absent node in the duration of a lease, while its absence may end. */
const attemptsPerLease = 12;
