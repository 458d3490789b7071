import { toMetadata } from "../../lifecycle/discover-client.ts";
import { methodNotFound } from "../../jsonrpc/errors.ts";
import { toServerCapabilitiesOf } from "../convert-messages.ts";
import { gatewayPrincipal, type Principal } from "../principal.ts";
import { toTaskSubscriber } from "../tasks/upstream-tasks.ts";
import type { ConnectionLimit, Leave } from "./connection-limit.ts";
import type { Lease, PooledCall } from "./lease.ts";
import type { Owner } from "./owners.ts";
import { Upstream, type Listener, type UpstreamOptions } from "./upstream.ts";

/** Call or subscription on a connection. */
interface Use {
  readonly client: unknown;
  listener: Listener;
  wantsLogs: boolean;
}

/** Connection of an owner. */
interface Member {
  readonly key: string;
  readonly opening: Promise<Upstream>;
  readonly uses: Set<Use>;
  /** Monotonic time until which requests may arrive for this connection and no other. */
  keptUntil: number;
}

/**
 * Connections to a program with stateless requests. All calls of an owner share one, at the same time: a request state or a task may only be known to
 * the process which issued it. Each request names its client in its metadata.
 */
export class SharedPool {
  readonly #options: UpstreamOptions;
  readonly #limit: ConnectionLimit;
  /** Connections by owner; the most recently used one is last. */
  readonly #members = new Map<string, Member>();
  #needsSessions = false;

  constructor(options: UpstreamOptions, limit: ConnectionLimit) {
    this.#options = options;
    this.#limit = limit;
  }

  /** True if the program was found to need sessions: calls cannot share connections then. */
  get needsSessions(): boolean {
    return this.#needsSessions;
  }

  /**
   * Takes the connection of the owner, as soon as the limit allows another call. Returns `undefined` if the program needs sessions.
   *
   * @throws {RpcError} when the limit allows no call in time
   */
  async take(call: PooledCall): Promise<Lease | undefined> {
    return this.#lend(call, await this.#limit.enterCall(call.signal, call.owner.principal));
  }

  /**
   * Takes the connection of the owner for subscriptions. Returns `undefined` if the program needs sessions.
   *
   * @throws {RpcError} when the limit allows nothing in addition to the calls
   */
  async subscribe(owner: Owner, listener: Listener): Promise<Lease | undefined> {
    return this.#lend({ owner, listener, principal: gatewayPrincipal }, this.#limit.enterBeside(owner.principal));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#members.values()].map((member) => this.#close(member)));
  }

  async #lend(call: Omit<PooledCall, "signal">, leave: Leave): Promise<Lease | undefined> {
    const { owner, listener, principal } = call;
    const member = this.#find(owner);
    const use: Use = { client: owner.client, listener, wantsLogs: false };
    member.uses.add(use);
    const release = (): void => {
      if (!member.uses.delete(use)) return;
      leave();
      this.#closeUnused();
    };
    try {
      const upstream = await member.opening;
      if (upstream.revision.lifecycle === "per-request")
        return createLease(upstream, { member, use, principal, release });
    } catch (error) {
      release();
      throw error;
    }
    this.#needsSessions = true;
    release();
    await this.#close(member);
    return undefined;
  }

  /** Returns the connection of an owner, which becomes the most recently used one. */
  #find({ key }: Owner): Member {
    const member = this.#members.get(key) ?? this.#open(key);
    this.#members.delete(key);
    this.#members.set(key, member);
    return member;
  }

  #open(key: string): Member {
    const uses = new Set<Use>();
    const listener: Listener = {
      ask: (method) => Promise.reject(methodNotFound(method)),
      notify: (handler, params) => notify(uses, handler, params),
    };
    const opening = Upstream.open(this.#options, toTaskSubscriber(this.#options.revisions), () => listener);
    const member: Member = { key, opening, uses, keptUntil: 0 };
    opening.then(
      ({ connection }) => connection.closed.then((reason) => this.#forget(member, reason)),
      () => this.#forget(member, undefined),
    );
    return member;
  }

  /** Closes the unused connections beyond the limits, the least recently used ones first. */
  #closeUnused(): void {
    const now = performance.now();
    const idle = this.#unused.filter(({ keptUntil }) => keptUntil <= now);
    for (const member of idle.slice(0, Math.max(0, idle.length - mostIdle))) void this.#close(member);
    const excess = this.#members.size - this.#limit.most;
    for (const member of this.#unused.slice(0, Math.max(0, excess))) void this.#close(member);
  }

  get #unused(): readonly Member[] {
    return [...this.#members.values()].filter(({ uses }) => uses.size === 0);
  }

  async #close(member: Member): Promise<void> {
    this.#forget(member, undefined);
    await member.opening.then((upstream) => upstream.close()).catch(() => {});
  }

  #forget(member: Member, reason: Error | undefined): void {
    const { signal, onError } = this.#options;
    if (reason && !signal.aborted) onError({ kind: "transport", error: reason });
    if (this.#members.get(member.key) === member) this.#members.delete(member.key);
  }
}

interface Lending {
  readonly member: Member;
  readonly use: Use;
  readonly principal: Principal;
  release(): void;
}

function createLease(upstream: Upstream, { member, use, principal, release }: Lending): Lease {
  const { revision } = upstream;
  return {
    upstream,
    requestLogs(level) {
      use.wantsLogs = level !== undefined;
      const capabilities = toServerCapabilitiesOf(principal, revision);
      return Promise.resolve(toMetadata(revision, { info: principal.info, capabilities }, level));
    },
    listen: (listener) => void (use.listener = listener),
    keep: (milliseconds) => void (member.keptUntil = Math.max(member.keptUntil, performance.now() + milliseconds)),
    release,
  };
}

/** Passes on a notification. It names no call, so log messages are passed on only while they can belong to no other client. */
function notify(uses: ReadonlySet<Use>, handler: string, params: object): void {
  const receivers = handler === "loggingMessage" ? findLogReceiver(uses) : uses;
  for (const { listener } of receivers) listener.notify(handler, params);
}

/** Returns the latest call with a request for log messages, if all such calls are of the same client. */
function findLogReceiver(uses: ReadonlySet<Use>): readonly Use[] {
  const wanting = [...uses].filter(({ wantsLogs }) => wantsLogs);
  const last = wanting.at(-1);
  return last && wanting.every(({ client }) => client === last.client) ? [last] : [];
}

/** Maximum number of unused connections without an expected request. */
const mostIdle = 8;
