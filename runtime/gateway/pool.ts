import { RpcError, errorCodes } from "../jsonrpc/errors.ts";
import type { ConnectionLimit } from "./connection-limit.ts";
import type { Owner } from "./owners.ts";
import { Upstream, type Listener, type Principal, type UpstreamOptions } from "./upstream.ts";

/** A connection to the server that belongs to one call. */
export interface Lease {
  readonly upstream: Upstream;
  /** Lets somebody else hear what the server says. */
  listen(listener: Listener): void;
  /** Gives it back; what the server says afterwards is nobody's. */
  release(): void;
}

/** A call that needs a connection. */
export interface Leasing {
  readonly principal: Principal;
  readonly owner: Owner;
  readonly listener: Listener;
  readonly signal: AbortSignal;
}

interface Member {
  readonly key: string;
  readonly owner: Owner;
  readonly upstream: Upstream;
  listener: Listener | undefined;
}

/** Connections for calls without a session: each serves one call at a time, for one owner and clients that can do the same. */
export class Pool {
  readonly #options: UpstreamOptions;
  readonly #limit: ConnectionLimit;
  /** The one that was used last comes last. */
  #idle: readonly Member[] = [];
  readonly #all = new Set<Member>();

  constructor(options: UpstreamOptions, limit: ConnectionLimit) {
    this.#options = options;
    this.#limit = limit;
  }

  /** A connection on which the server knows these capabilities, and nobody else is served, as soon as there may be one. */
  async take({ principal, owner, listener, signal }: Leasing): Promise<Lease> {
    const key = toKey(owner, principal);
    const leave = await this.#limit.enterCall(signal);
    const member = await this.#find({ key, owner }, principal).catch((error: unknown) => {
      leave();
      throw error;
    });
    member.listener = listener;
    return {
      upstream: member.upstream,
      listen: (other) => void (member.listener = other),
      release: () => {
        member.listener = undefined;
        this.#keep(member);
        leave();
      },
    };
  }

  /** Closes the connections that are kept for an owner. */
  forget({ key }: Owner): void {
    for (const member of this.#idle) if (member.owner.key === key) this.#close(member);
  }

  async close(): Promise<void> {
    this.#idle = [];
    await Promise.all([...this.#all].map(({ upstream }) => upstream.close()));
  }

  async #find(wanted: Pick<Member, "key" | "owner">, principal: Principal): Promise<Member> {
    const member = this.#idle.findLast(({ key }) => key === wanted.key);
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
    if (member.owner.isOver) return this.#close(member);
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

/** Each connection keeps its key for as long as it lives, and a stateless request may declare anything. */
function toKey(owner: Owner, principal: Principal): string {
  const key = JSON.stringify([owner.key, principal]);
  if (key.length <= longestKey) return key;
  const message = `Invalid params: clientInfo and capabilities have more than ${longestKey} characters; send less of them`;
  throw new RpcError(errorCodes.invalidParams, message, { data: { characters: key.length, limit: longestKey } });
}

/** Characters of `clientInfo` and capabilities as JSON, with what tells the owner. */
const longestKey = 64 * 1024;

/** Connections that are kept although nobody needs them now. */
const mostIdle = 8;
