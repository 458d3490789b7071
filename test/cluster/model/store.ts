import type { Mutant } from "./mutants.ts";

/** Writer of a stream. The fence is the number of times that the stream has changed hands, so a name that comes back is not mistaken. */
export interface Owner {
  readonly node: string;
  readonly fence: number;
}

export interface StreamEvent {
  readonly stream: string;
  readonly sequence: number;
  readonly data: string;
  /** Fence of its writer. */
  readonly fence: number;
  /** Request id, if the event is its final response. */
  readonly response: string | undefined;
}

/** Node and stream that respond to a request. */
export interface Claim {
  readonly request: string;
  readonly node: string;
  readonly stream: string;
}

export interface Replay {
  readonly events: readonly StreamEvent[];
  readonly owner: Owner;
  readonly isCall: boolean;
  readonly isEnded: boolean;
}

export interface Adoption {
  readonly owner: Owner;
  /** First sequence of the new owner. */
  readonly next: number;
}

interface StreamState {
  owner: Owner;
  /** Request without a response; `undefined` on streams opened by GET. */
  request: string | undefined;
  readonly isCall: boolean;
  readonly log: StreamEvent[];
  next: number;
  isEnded: boolean;
}

export interface ModelStoreOptions {
  readonly mutant: Mutant | undefined;
  /** Point at which other operations may come between; only mutants have one inside of an operation. */
  readonly pause: () => Promise<void>;
  /** Passes an event on to a follower. */
  readonly publish: (deliver: () => void, event: StreamEvent) => void;
}

/** Store that nodes share. Each operation is atomic; operations are repeated safely, and may arrive long after their caller has given up. */
export class ModelStore {
  readonly claims = new Map<string, Claim>();
  readonly streams = new Map<string, StreamState>();
  /** Seals, with whether the lease of the owner still held. */
  readonly seals: { readonly stream: string; readonly wasLeased: boolean }[] = [];
  readonly #leases = new Set<string>();
  readonly #followers = new Map<string, Set<(event: StreamEvent) => void>>();
  readonly #options: ModelStoreOptions;

  constructor(options: ModelStoreOptions) {
    this.#options = options;
  }

  lease(node: string): void {
    this.#leases.add(node);
  }

  expire(node: string): void {
    this.#leases.delete(node);
  }

  /** Returns `false` when the lease is over; it never begins again for the same name. */
  renew(node: string): boolean {
    return this.#leases.has(node);
  }

  /** Takes a request id; returns the claim that counts, which may be another's. */
  claim(claim: Claim): Claim | Promise<Claim> {
    const known = this.claims.get(claim.request);
    if (known) return known;
    if (this.#is("claim in two operations")) return this.#claimLate(claim);
    this.claims.set(claim.request, claim);
    return claim;
  }

  /** Creates a stream, unless it was sealed before it began. */
  begin(stream: string, owner: Owner, request: string | undefined): "kept" | "fenced" {
    const known = this.streams.get(stream);
    if (known && !this.#is("begin after a seal")) return known.owner.fence === owner.fence ? "kept" : "fenced";
    this.#create(stream, owner, request);
    return "kept";
  }

  /** Stores the next event of a stream. A final response ends the stream in the same operation. */
  append(event: StreamEvent, node: string): Appended {
    const state = this.streams.get(event.stream);
    if (!state) return "fenced";
    if (!this.#is("repeated append stored twice") && state.log[event.sequence]?.fence === event.fence) return "kept";
    if (!this.#isOwner(state, event, node) && !this.#is("append without a fence")) return "fenced";
    if (event.sequence > state.next && !this.#is("append without a gap check")) return "gap";
    if (event.sequence < state.next && !this.#is("repeated append stored twice")) return "kept";
    if (this.#is("append acknowledged before it is stored"))
      void this.#options.pause().then(() => this.#keep(state, event));
    else this.#keep(state, event);
    return "kept";
  }

  /** Returns the events of a stream from a sequence on; `undefined` when the stream or the sequence is not known. */
  after(stream: string, from: number): Replay | undefined {
    const state = this.streams.get(stream);
    if (!state || from > state.next) return undefined;
    const events = state.log.filter(({ sequence }) => sequence >= from);
    return { events, owner: state.owner, isCall: state.isCall, isEnded: state.isEnded };
  }

  /** Ends the stream of a call whose owner has gone. Returns `false` when its lease holds, or the stream has ended. A claim stands for a stream that was never begun. */
  seal(stream: string, claim: Claim | undefined): boolean {
    if (claim && !this.streams.has(stream)) this.#create(stream, { node: claim.node, fence: 0 }, claim.request);
    const state = this.streams.get(stream);
    if (!state?.isCall) return false;
    const wasLeased = this.#leases.has(state.owner.node);
    if (wasLeased && !this.#is("seal without an owner check")) return false;
    if (state.isEnded && !this.#is("seal of an ended stream")) return false;
    const fence = state.owner.fence + 1;
    state.owner = { node: "", fence };
    this.seals.push({ stream, wasLeased });
    this.#keep(state, { stream, sequence: state.next, data: "lost", fence, response: state.request });
    state.isEnded = true;
    return true;
  }

  /** Makes another node the owner, if the stream has not changed hands since it was read. */
  adopt(stream: string, from: Owner, node: string): Adoption | undefined {
    const state = this.streams.get(stream);
    if (!state) return undefined;
    if (state.owner.fence !== from.fence && !this.#is("adopt without a compare")) return undefined;
    state.owner = { node, fence: from.fence + 1 };
    return { owner: state.owner, next: state.next };
  }

  /** Ends a stream; only a mutant calls it by itself. */
  end(stream: string): void {
    const state = this.streams.get(stream);
    if (state) state.isEnded = true;
  }

  follow(stream: string, follower: (event: StreamEvent) => void): () => void {
    const followers = this.#followers.get(stream) ?? new Set();
    this.#followers.set(stream, followers.add(follower));
    return () => followers.delete(follower);
  }

  async #claimLate(claim: Claim): Promise<Claim> {
    await this.#options.pause();
    this.claims.set(claim.request, claim);
    return claim;
  }

  #create(stream: string, owner: Owner, request: string | undefined): void {
    const isCall = request !== undefined;
    this.streams.set(stream, { owner, request, isCall, log: [], next: 0, isEnded: false });
  }

  #keep(state: StreamState, event: StreamEvent): void {
    state.log.push(event);
    state.next = Math.max(state.next, event.sequence + 1);
    if (event.response !== undefined && !this.#is("response and end in two operations")) state.isEnded = true;
    for (const follower of this.#followers.get(event.stream) ?? []) this.#options.publish(() => follower(event), event);
  }

  #isOwner({ owner, isEnded }: StreamState, { fence }: StreamEvent, node: string): boolean {
    if (isEnded) return false;
    return this.#is("fence that is the name of the node") ? owner.node === node : owner.fence === fence;
  }

  #is(mutant: Mutant): boolean {
    return this.#options.mutant === mutant;
  }
}

export type Appended = "kept" | "fenced" | "gap";
