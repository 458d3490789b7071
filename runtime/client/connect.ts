import type { NotificationRow, RequestRow, Revision } from "../../generated/support.ts";
import { findMethod } from "../protocol/methods/method-rows.ts";
import { openConnection } from "../lifecycle/initialize-client.ts";
import type { OpenOptions } from "../lifecycle/open-options.ts";
import type { RequestOptions } from "../protocol/peer/incoming-call.ts";
import type { Channel } from "../jsonrpc/channel.ts";
import type { Connection, State } from "../protocol/peer/peer.ts";
import type { Capabilities, ImplementationInfo, Session } from "../protocol/session/session.ts";
import { SessionView } from "./session/session-view.ts";

/** Options of `connect`: the client's info, its revisions, its capabilities and its handlers for one connection. */
export type ConnectOptions = OpenOptions;

/**
 * Session with a server, from the client's side. The calls of a generated revision are made over it: `new ClientCalls(connection)`.
 */
export interface ClientConnection extends Connection {
  readonly session: Session;
  readonly revision: Revision;
  readonly serverInfo: ImplementationInfo;
  readonly serverCapabilities: Capabilities;
  readonly instructions: string | undefined;
  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result>;
  /** Sends a request of the negotiated revision by its method name. Params and result are checked, but their types are not known. */
  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown>;
  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void>;
  /** Sends a notification of the negotiated revision by its method name. */
  notify(method: string, params?: unknown): Promise<void>;
}

/**
 * Connects to a server and resolves when the session is open. A failure closes the transport.
 *
 * @example
 * ```ts
 * import { createInMemoryTransports, serve } from "mcp-server-runtime";
 * import { connect } from "mcp-server-runtime/client";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const [clientEnd, serverEnd] = createInMemoryTransports();
 * serve(server, serverEnd);
 * const connection = await connect(clientEnd, { info: { name: "test", version: "1" }, revisions });
 * console.log(connection.revision.id);
 * ```
 */
export async function connect(transport: Channel, options: ConnectOptions): Promise<ClientConnection> {
  const peer = await openConnection(transport, options);
  return new Client(peer, peer.requireSession());
}

class Client extends SessionView implements ClientConnection {
  readonly session: Session;
  readonly #peer: Connection;

  constructor(peer: Connection, session: Session) {
    super();
    this.#peer = peer;
    this.session = session;
  }

  get state(): State {
    return this.#peer.state;
  }

  get closed(): Promise<Error | undefined> {
    return this.#peer.closed;
  }

  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result>;
  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown>;
  request(target: RequestRow | string, params?: unknown, options?: RequestOptions): Promise<unknown> {
    if (typeof target !== "string") return this.#peer.request(target, params, options);
    const row = findMethod(this.revision.clientRequests, target);
    if (!row) return Promise.reject(this.#describeUnknown(target));
    return this.#peer.request(row, params, options);
  }

  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void>;
  notify(method: string, params?: unknown): Promise<void>;
  notify(target: NotificationRow | string, params?: unknown): Promise<void> {
    if (typeof target !== "string") return this.#peer.notify(target, params);
    const row = findMethod(this.revision.clientNotifications, target);
    if (!row) return Promise.reject(this.#describeUnknown(target));
    return this.#peer.notify(row, params);
  }

  close(): Promise<void> {
    return this.#peer.close();
  }

  #describeUnknown(method: string): Error {
    return new Error(
      `Revision ${this.revision.id} has no client request ${method}; check the name or connect with another revision`,
    );
  }
}
