import type { Connection } from "./connection.ts";
import type { Claim, Replay, StreamEvent } from "./store.ts";
import { Writer, type World } from "./writer.ts";

/** What the handler of a call does before it responds. */
export interface HandlerPlan {
  readonly notifications: number;
  /** Whether the handler waits for each event, or sends them at once. */
  readonly waits: boolean;
}

/** Node that serves calls and streams. It may crash at any await, and be late: its lease may be over before it knows. */
export class ModelNode {
  readonly name: string;
  isUp = true;
  readonly writers = new Map<string, Writer>();
  readonly #world: World;
  readonly #connections = new Set<Connection>();
  readonly #followers = new Set<() => void>();
  #streams = 0;
  #events = 0;

  constructor(world: World, name: string) {
    this.name = name;
    this.#world = world;
    world.store.lease(name);
  }

  /** Serves a request, or follows the stream of the node that has claimed it. */
  async post(request: string, plan: HandlerPlan, connection: Connection): Promise<void> {
    const { network, store } = this.#world;
    this.#accept(connection);
    const own: Claim = { request, node: this.name, stream: this.#nameStream() };
    const claim = await network.settle(this, `claim ${request}`, () => store.claim(own));
    if (claim.stream !== own.stream) return this.#serve(claim.stream, connection, claim);
    await this.#handle(own, plan, connection);
  }

  /** Opens a stream for messages that belong to no request. */
  async open(connection: Connection): Promise<void> {
    this.#accept(connection);
    const writer = await this.#begin(this.#nameStream(), undefined);
    if (!writer) return connection.close();
    writer.attach(connection);
    await writer.send(this.#nameEvent());
  }

  /** Resumes a stream, which any node may own. */
  async resume(stream: string, connection: Connection): Promise<void> {
    this.#accept(connection);
    await this.#serve(stream, connection, undefined);
  }

  /** Sends an event on a stream that this node owns, as far as it knows. */
  async say(stream: string): Promise<void> {
    await this.writers.get(stream)?.send(this.#nameEvent());
  }

  /** Renews the lease. A node without one stops like one that crashes, and goes on under a new name. */
  async renew(): Promise<boolean> {
    const { network, store } = this.#world;
    return network.settle(this, "renew", () => store.renew(this.name));
  }

  stop(): void {
    this.isUp = false;
    for (const connection of this.#connections) connection.close();
  }

  /** Lets each follower read the log again, as a timer does. */
  poll(): void {
    for (const wake of this.#followers) wake();
  }

  #accept(connection: Connection): void {
    if (!this.isUp) return connection.close();
    this.#connections.add(connection);
    connection.whenClosed(() => this.#connections.delete(connection));
  }

  async #begin(stream: string, request: string | undefined): Promise<Writer | undefined> {
    const { network, store } = this.#world;
    const owner = { node: this.name, fence: 0 };
    const begun = await network.settle(this, `begin ${stream}`, () => store.begin(stream, owner, request));
    if (begun === "fenced") return undefined;
    const writer = new Writer(this.#world, this, stream, { owner, next: 0 });
    this.writers.set(stream, writer);
    return writer;
  }

  async #handle({ request, stream }: Claim, plan: HandlerPlan, connection: Connection): Promise<void> {
    const { network, store, history, mutant } = this.#world;
    history.start(request);
    const writer = await this.#begin(stream, request);
    if (!writer) return connection.close();
    writer.attach(connection);
    for (let sent = 0; sent < plan.notifications; sent += 1) {
      const notified = writer.send(this.#nameEvent());
      if (plan.waits) await notified;
    }
    await writer.send(this.#nameEvent(), request);
    if (mutant === "response and end in two operations")
      await network.settle(this, `end ${stream}`, () => store.end(stream));
  }

  /** Sends what follows the cursor of a connection, then goes on: as the owner, as the new owner, or as a follower. */
  async #serve(stream: string, connection: Connection, claim: Claim | undefined): Promise<void> {
    const { network, store, mutant } = this.#world;
    const news: StreamEvent[] = [];
    let wake = (): void => {};
    // Before the log is read: an event between the two would be missed.
    const unfollow = store.follow(stream, (event) => {
      news.push(event);
      wake();
    });
    const poll = (): void => wake();
    this.#followers.add(poll);
    connection.whenClosed(() => {
      unfollow();
      this.#followers.delete(poll);
      wake();
    });
    while (connection.isOpen) {
      const replay = await network.settle(this, `after ${stream}`, () => store.after(stream, connection.next));
      if (!replay && !claim) return connection.close();
      for (const event of replay?.events ?? []) connection.write(event);
      if (!connection.isOpen) return;
      if (replay?.isEnded) return connection.close();
      const writer = this.#findWriter(stream, replay);
      if (writer) return writer.attach(connection);
      if (await this.#takeOver(stream, replay, claim)) continue;
      while (connection.isOpen) {
        const event = news.shift();
        if (event && event.sequence < connection.next) continue;
        const isGap = event && event.sequence > connection.next && mutant !== "follower without a gap fill";
        if (isGap || event?.response !== undefined) break;
        if (event) connection.write(event);
        else if (await new Promise<boolean>((resolve) => (wake = () => resolve(news.length === 0)))) break;
      }
    }
  }

  #findWriter(stream: string, replay: Replay | undefined): Writer | undefined {
    const writer = this.writers.get(stream);
    const isOwner = replay?.owner.node === this.name && writer?.owner.fence === replay.owner.fence;
    return isOwner ? writer : undefined;
  }

  /** Seals a call whose owner has gone, or adopts a stream that moves with its client. Returns `true` if the stream is to be read again. */
  async #takeOver(stream: string, replay: Replay | undefined, claim: Claim | undefined): Promise<boolean> {
    const { network, store } = this.#world;
    if (!replay || replay.isCall) return network.settle(this, `seal ${stream}`, () => store.seal(stream, claim));
    const label = `adopt ${stream} from ${replay.owner.fence}`;
    const adopted = await network.call(this, label, () => store.adopt(stream, replay.owner, this.name));
    if (adopted && adopted !== "unknown") this.writers.set(stream, new Writer(this.#world, this, stream, adopted));
    return true;
  }

  #nameStream(): string {
    this.#streams += 1;
    return `${this.name}.${this.#streams}`;
  }

  #nameEvent(): string {
    this.#events += 1;
    return `${this.name}:${this.#events}`;
  }
}
