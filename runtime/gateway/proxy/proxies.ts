import type { NotificationRow, RequestRow } from "../../../generated/support.ts";
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
  /** Filled with the open sessions of clients. */
  readonly sessions: Set<SessionProxy>;
}

/** Clients of a gateway. Each session of a client is one with the server; all other clients share a proxy. */
export class Proxies {
  readonly #options: ProxiesOptions;
  readonly #sessions = new WeakMap<Session, SessionProxy>();
  readonly #accepted = new Set<Connection>();
  #isClosed = false;

  constructor(options: ProxiesOptions) {
    this.#options = options;
  }

  /** Forwards a request to the server and returns its result. */
  forward(row: RequestRow, params: unknown, call: CallContext): Promise<unknown> {
    const { session } = call;
    const proxy = session.revision.lifecycle === "handshake" ? this.#sessions.get(session) : undefined;
    return (proxy ?? this.#options.stateless).forward(row, params, call);
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
    const { upstreams, bridge, limit, states, sessions } = this.#options;
    const proxy = new SessionProxy(upstreams, { connection, session, bridge, limit, states });
    this.#sessions.set(session, proxy);
    sessions.add(proxy);
    void connection.closed.then(() => {
      sessions.delete(proxy);
      return proxy.close();
    });
  }

  /** Passes on a notification of an extension to the server of the client's session. */
  notifyServer(
    { method }: NotificationRow,
    params: unknown,
    { session, principal }: { readonly session: Session; readonly principal: string | undefined },
  ): Promise<void> | undefined {
    return this.#sessions.get(session)?.notifyServer(method, params, principal);
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
}
