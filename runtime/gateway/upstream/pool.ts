import { RpcError, errorCodes } from "../../jsonrpc/errors.ts";
import type { ConnectionLimit } from "./connection-limit.ts";
import type { Lease, PooledCall } from "./lease.ts";
import { ownRequest } from "./own-request.ts";
import type { Owner } from "./owners.ts";
import type { Principal } from "../principal.ts";
import { Upstream, type Listener, type UpstreamOptions } from "./upstream.ts";

interface Member {
  readonly key: string;
  readonly owner: Owner;
  readonly upstream: Upstream;
  listener: Listener | undefined;
}

/** Connections for calls without a session. Each serves one call at a time, for one owner and for clients with the same info and capabilities. */
export class Pool {
  readonly #options: UpstreamOptions;
  readonly #limit: ConnectionLimit;
  /** Idle connections; the most recently used one is last. */
  #idle: readonly Member[] = [];
  readonly #all = new Set<Member>();

  constructor(options: UpstreamOptions, limit: ConnectionLimit) {
    this.#options = options;
    this.#limit = limit;
  }

  /**
   * Takes an unused connection, on which the server knows this principal, as soon as the limit allows one.
   *
   * @throws {RpcError} when info and capabilities of the principal are too long, or no connection becomes free in time
   */
  async take({ principal, owner, listener, signal }: PooledCall): Promise<Lease> {
    const key = toKey(owner, principal);
    const leave = await this.#limit.enterCall(signal, owner.principal);
    const member = await this.#find({ key, owner }, principal).catch((error: unknown) => {
      leave();
      throw error;
    });
    member.listener = listener;
    return {
      upstream: member.upstream,
      async requestLogs(level, ended) {
        await member.upstream.setLevel(level, { ...ownRequest, signal: ended });
        return {};
      },
      // Tasks of servers with sessions end their use of the connection themselves.
      keep() {},
      listen: (other) => void (member.listener = other),
      release: () => {
        member.listener = undefined;
        this.#keep(member);
        leave();
      },
    };
  }

  /** Closes the idle connections of an owner. */
  forget({ key }: Owner): void {
    for (const member of this.#idle) if (member.owner.key === key) this.#close(member);
  }

  /** Closes the connections on which the server no longer serves its revision. */
  async check(): Promise<void> {
    await Promise.all([...this.#all].map(({ upstream }) => upstream.check()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map(({ upstream }) => upstream.close()));
  }

  async #find(wanted: Pick<Member, "key" | "owner">, principal: Principal): Promise<Member> {
    const member = this.#idle.findLast(({ key, upstream }) => key === wanted.key && !upstream.isChecking);
    if (!member) return this.#open(wanted, principal);
    this.#idle = this.#idle.filter((idle) => idle !== member);
    return member;
  }

  async #open(kept: Pick<Member, "key" | "owner">, principal: Principal): Promise<Member> {
    const holder: { member: Member | undefined } = { member: undefined };
    const upstream = await Upstream.open(this.#options, principal, () => holder.member?.listener);
    const member: Member = { ...kept, upstream, listener: undefined };
    holder.member = member;
    this.#all.add(member);
    void upstream.connection.closed.then((reason) => this.#remove(member, reason));
    return member;
  }

  #keep(member: Member): void {
    if (!this.#all.has(member)) return;
    const { owner, upstream } = member;
    if (owner.isOver || (!owner.sharesSessions && upstream.revision.lifecycle === "handshake"))
      return this.#close(member);
    this.#idle = [...this.#idle, member];
    const [oldest] = this.#idle;
    if (this.#idle.length > mostIdle && oldest) this.#close(oldest);
  }

  #close(member: Member): void {
    this.#idle = this.#idle.filter((idle) => idle !== member);
    void member.upstream.close();
  }

  #remove(member: Member, reason: Error | undefined): void {
    const { signal, onError } = this.#options;
    if (reason && !signal.aborted) onError({ kind: "transport", error: reason });
    this.#all.delete(member);
    this.#idle = this.#idle.filter((idle) => idle !== member);
  }
}

/**
 * Returns the key of a connection. Its length is bounded: a connection keeps its key for its lifetime, and a stateless request may declare anything.
 */
function toKey(owner: Owner, principal: Principal): string {
  const key = JSON.stringify([owner.key, principal]);
  if (key.length <= longestKey) return key;
  const message = `Invalid params: clientInfo and capabilities have more than ${longestKey} characters; shorten them`;
  throw new RpcError(errorCodes.invalidParams, message, { data: { characters: key.length, limit: longestKey } });
}

/** Maximum number of characters of `clientInfo` and capabilities as JSON, with the key of the owner. */
const longestKey = 64 * 1024;

/** Maximum number of idle connections to keep. */
const mostIdle = 8;
