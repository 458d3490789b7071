import type { RequestRow } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { Connection } from "../../protocol/peer/peer.ts";
import type { Session } from "../../protocol/session/session.ts";
import type { ConnectionLimit } from "../upstream/connection-limit.ts";
import type { PrincipalStates } from "./principal-states.ts";
import { SessionProxy } from "./session-proxy.ts";
import type { StatelessProxy } from "./stateless-proxy.ts";
import type { TaskBridge } from "../tasks/task-bridge.ts";
import type { UpstreamOptions } from "../upstream/upstream.ts";

/** Parts of a gateway used to serve its clients. */
export interface ProxiesOptions {
  readonly upstreams: UpstreamOptions;
  readonly bridge: TaskBridge;
  readonly limit: ConnectionLimit;
  readonly states: PrincipalStates;
  /** Handles requests of clients without a session. */
  readonly stateless: StatelessProxy;
}

/** Clients of a gateway. Each session of a client is one with the server; all other clients share a proxy. */
export class Proxies {
  readonly #sessions = new WeakMap<Session, SessionProxy>();
  readonly #open = new Map<Connection, SessionProxy>();
  readonly #accepted = new Set<Connection>();
  #isClosed = false;
  #options: ProxiesOptions | undefined;

  /** Sets the parts of the gateway, before it serves the first client. */
  serve(options: ProxiesOptions): void {
    this.#options = options;
  }

  /** Forwards a request to the server and returns its result. */
  forward(row: RequestRow, params: unknown, call: CallContext): Promise<unknown> {
    const { session } = call;
    const proxy = session.revision.lifecycle === "handshake" ? this.#sessions.get(session) : undefined;
    return (proxy ?? this.#serving.stateless).forward(row, params, call);
  }

  /** Adds a connection, which ends with the gateway. After the end it is closed at once. */
  accept(connection: Connection): void {
    if (this.#isClosed) return void connection.close();
    this.#accepted.add(connection);
    void connection.closed.then(() => this.#accepted.delete(connection));
  }

  /** Adds a session opened by a client. */
  add(connection: Connection): void {
    const { session } = connection;
    if (!session) return;
    const { upstreams, bridge, limit, states } = this.#serving;
    const proxy = new SessionProxy(upstreams, { connection, session, bridge, limit, states });
    this.#sessions.set(session, proxy);
    this.#open.set(connection, proxy);
    void connection.closed.then(() => {
      this.#open.delete(connection);
      return proxy.close();
    });
  }

  /** Passes a notification of the server on to sessions which do not receive it themselves. */
  notify(handler: string, params: object): void {
    for (const proxy of this.#open.values()) proxy.notify(handler, params);
  }

  notifyRootsListChanged({ session }: Connection): Promise<void> | undefined {
    return session && this.#sessions.get(session)?.notifyRootsListChanged();
  }

  /** Returns the reason why the server has ended the session of a client, if it has. */
  lossOf({ session }: Connection): Error | undefined {
    return session && this.#sessions.get(session)?.loss;
  }

  /** Closes every connection of a client. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#accepted].map((connection) => connection.close()));
  }

  get #serving(): ProxiesOptions {
    if (!this.#options) throw new Error("The gateway has no transport yet; serve it first");
    return this.#options;
  }
}
