import { Places } from "../rpc/places.ts";
import { Upstream, type Listener, type Principal, type UpstreamOptions } from "./upstream.ts";

/** A connection to the server that belongs to one call. */
export interface Lease {
  readonly upstream: Upstream;
  /** Lets somebody else hear what the server says. */
  listen(listener: Listener): void;
  /** Gives it back; what the server says afterwards is nobody's. */
  release(): void;
}

interface Member {
  readonly upstream: Upstream;
  listener: Listener | undefined;
}

/** Connections for calls without a session: each serves one call at a time, for clients that can do the same. */
export class Pool {
  readonly #options: UpstreamOptions;
  readonly #idle = new Map<string, Member[]>();
  readonly #all = new Set<Member>();
  readonly #places: Places;

  /** At most so many are in use at once. */
  constructor(options: UpstreamOptions, most: number) {
    this.#options = options;
    this.#places = new Places(most);
  }

  /** A connection on which the server knows these capabilities, and nobody else is served, as soon as there may be one. */
  async take(principal: Principal, listener: Listener, signal: AbortSignal): Promise<Lease> {
    const key = JSON.stringify(principal);
    await this.#places.enter(signal);
    const member = await this.#find(key, principal);
    member.listener = listener;
    return {
      upstream: member.upstream,
      listen: (other) => void (member.listener = other),
      release: () => {
        member.listener = undefined;
        this.#keep(key, member);
        this.#places.leave();
      },
    };
  }

  async close(): Promise<void> {
    this.#idle.clear();
    await Promise.all([...this.#all].map(({ upstream }) => upstream.close()));
  }

  async #find(key: string, principal: Principal): Promise<Member> {
    try {
      return this.#idle.get(key)?.pop() ?? (await this.#open(key, principal));
    } catch (error) {
      this.#places.leave();
      throw error;
    }
  }

  async #open(key: string, principal: Principal): Promise<Member> {
    const holder: { member: Member | undefined } = { member: undefined };
    const upstream = await Upstream.open(this.#options, principal, () => holder.member?.listener);
    const member: Member = { upstream, listener: undefined };
    holder.member = member;
    this.#all.add(member);
    void upstream.connection.closed.then((reason) => this.#forget(key, member, reason));
    return member;
  }

  #keep(key: string, member: Member): void {
    if (!this.#all.has(member)) return;
    const idle = this.#idle.get(key) ?? [];
    const count = [...this.#idle.values()].reduce((sum, members) => sum + members.length, 0);
    if (count >= mostIdle) return void member.upstream.close();
    this.#idle.set(key, [...idle, member]);
  }

  #forget(key: string, member: Member, reason: Error | undefined): void {
    const { signal, onError } = this.#options;
    if (reason && !signal.aborted) onError({ kind: "transport", error: reason });
    this.#all.delete(member);
    const rest = (this.#idle.get(key) ?? []).filter((other) => other !== member);
    if (rest.length > 0) this.#idle.set(key, rest);
    else this.#idle.delete(key);
  }
}

/** Connections that are kept although nobody needs them now. */
const mostIdle = 8;
