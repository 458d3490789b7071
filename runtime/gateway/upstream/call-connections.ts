import { ClosedError } from "../../jsonrpc/errors.ts";
import { toTaskSubscriber } from "../tasks/upstream-tasks.ts";
import type { TaskConnection, TaskUpstream } from "../tasks/task-notifications.ts";
import type { ConnectionLimit } from "./connection-limit.ts";
import type { Lease, PooledCall } from "./lease.ts";
import type { Owner } from "./owners.ts";
import { Pool } from "./pool.ts";
import { SharedPool } from "./shared-pool.ts";
import { Upstream, type Listener, type UpstreamOptions } from "./upstream.ts";

/** Parts of a gateway used by its connections for calls. */
export interface CallConnectionsParts {
  readonly limit: ConnectionLimit;
  /** True if the server is a program with stateless requests. */
  readonly areShared: boolean;
}

/** Connections for calls without a session: one for all calls of an owner where the server allows it, otherwise one for each call at a time. */
export class CallConnections {
  readonly #options: UpstreamOptions;
  readonly #pool: Pool;
  readonly #shared: SharedPool | undefined;

  constructor(options: UpstreamOptions, { limit, areShared }: CallConnectionsParts) {
    this.#options = options;
    this.#pool = new Pool(options, limit);
    this.#shared = areShared ? new SharedPool(options, limit) : undefined;
  }

  /**
   * Takes a connection for a call, as soon as the limit allows it.
   *
   * @throws {RpcError} when info and capabilities of the principal are too long, or no connection becomes free in time
   */
  async take(call: PooledCall): Promise<Lease> {
    return (await this.#sharing?.take(call)) ?? this.#pool.take(call);
  }

  /** Returns the connection on which the server notifies of the tasks of an owner. */
  taskConnectionOf(owner: Owner): TaskConnection {
    const shared = this.#sharing;
    if (!shared) return { key: "", isKept: true, open: (listener) => this.#openForTasks(listener) };
    return { key: owner.key, isKept: false, open: (listener) => subscribe(shared, owner, listener) };
  }

  /** Closes the idle connections of an owner. */
  forget(owner: Owner): void {
    this.#pool.forget(owner);
  }

  /** Closes the connections on which the server no longer serves its revision. */
  check(): Promise<void> {
    return this.#pool.check();
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#shared?.close()]);
  }

  get #sharing(): SharedPool | undefined {
    return this.#shared?.needsSessions ? undefined : this.#shared;
  }

  #openForTasks(listener: Listener): Promise<Upstream> {
    return Upstream.open(this.#options, toTaskSubscriber(this.#options.revisions), () => listener);
  }
}

async function subscribe(shared: SharedPool, owner: Owner, listener: Listener): Promise<TaskUpstream> {
  const lease = await shared.subscribe(owner, listener);
  if (!lease) throw new ClosedError("The server needs sessions; its tasks are not known to others");
  const { upstream } = lease;
  // After a loss, the next subscriber takes another lease.
  void upstream.connection.closed.then(() => lease.release());
  return {
    revision: upstream.revision,
    connection: upstream.connection,
    request: (method, params, options) => upstream.request(method, params, options),
    close: () => Promise.resolve(lease.release()),
  };
}
