import { Batch, findBatchProblem } from "../../jsonrpc/batch.ts";
import type { FramingProblem } from "../../jsonrpc/channel.ts";
import {
  RpcError,
  UnusableResponseError,
  errorCodes,
  invalidRequest,
  toErrorObject,
  toProblemCode,
} from "../../jsonrpc/errors.ts";
import type { IncomingRequests } from "./incoming-requests.ts";
import type { Limits } from "../../jsonrpc/limits.ts";
import { classify, responseIdOf, type Incoming, type Message, type RequestId } from "../../jsonrpc/message.ts";
import { acceptNotification, type NotificationHost } from "./incoming-notifications.ts";
import type { OutgoingRequests } from "./request-table.ts";

/** Part of the connection used by the message router. */
export interface MessageRouterHost extends NotificationHost {
  readonly limits: Limits;
  /** True when no more requests are accepted. */
  readonly isClosing: boolean;
  reply(message: Message, batch: Batch | undefined): void;
  replyAll(messages: readonly Message[]): void;
}

/** Receivers of the routed messages, and options. */
export interface MessageRouterOptions {
  readonly incomingRequests: IncomingRequests;
  readonly pendingRequests: OutgoingRequests;
  /** True if input outside of any request gets an error response. A client never responds to what a server prints by mistake. */
  readonly reportsStrays: boolean;
}

/** Routes what arrives: every message goes to exactly one receiver, and no message ends the connection. */
export class MessageRouter {
  readonly #host: MessageRouterHost;
  readonly #options: MessageRouterOptions;
  /** Receives the messages behind a request whose response has to be sent first, in wire order. */
  #delayed: (() => void)[] = [];

  constructor(host: MessageRouterHost, options: MessageRouterOptions) {
    this.#host = host;
    this.#options = options;
    options.incomingRequests.whenFree(() => this.#receiveWaiting());
    options.pendingRequests.whenFree(() => this.#receiveWaiting());
  }

  /** Handles one parsed value: a message, or a batch of messages. */
  message(value: unknown, origin: unknown): void {
    if (Array.isArray(value)) return this.#takeBatch(value, { origin, isLate: this.#isLate });
    this.classified(classify(value), origin);
  }

  /** Handles one classified message. */
  classified(incoming: Incoming, origin: unknown): void {
    if (incoming.kind === "request" && this.#isLate) return this.#reject(incoming.id, closing(), undefined);
    this.#take(incoming, origin);
  }

  /** True for what arrives while the connection closes. What has waited since before is served. */
  get #isLate(): boolean {
    return this.#host.isClosing && !this.#host.routes.isSilent;
  }

  #take(incoming: Incoming, origin: unknown): void {
    if (this.#isBusy(incoming) && this.#canWait(incoming))
      return void this.#delayed.push(() => this.#take(incoming, origin));
    this.#receive(incoming, undefined, origin);
  }

  /** Handles unreadable input. If its envelope is readable, the request is rejected or the pending call fails. */
  problem(problem: FramingProblem): void {
    const error = new RpcError(toProblemCode(problem), problem.message);
    const incoming = classify(problem.value);
    this.#host.report({ kind: "protocol", error });
    if (this.#discard(incoming, new UnusableResponseError(problem.message))) return;
    if (incoming.kind === "request" || incoming.kind === "invalid") this.#reject(incoming.id, error, undefined);
  }

  /** True if a message has to wait for an earlier one. Responses wait only for responses to requests of the peer. */
  #isBusy({ kind }: Pick<Incoming, "kind">): boolean {
    const { incomingRequests, pendingRequests } = this.#options;
    return incomingRequests.isBusy || (pendingRequests.isBusy && (kind === "request" || kind === "notification"));
  }

  /** True if a message may wait. `ping` and stateless requests do not wait, and no more messages wait than may run. */
  #canWait(incoming: Incoming): boolean {
    if (this.#isFull) return false;
    if (incoming.kind !== "request") return true;
    return incoming.method !== "ping" && this.#host.routes.enter?.(incoming) === undefined;
  }

  #receiveWaiting(): void {
    const waiting = this.#delayed;
    this.#delayed = [];
    for (const receive of waiting) receive();
  }

  get #isFull(): boolean {
    return this.#delayed.length >= this.#host.limits.maxCalls;
  }

  #takeBatch(values: readonly unknown[], source: BatchSource): void {
    if (this.#options.incomingRequests.isBusy && !this.#isFull)
      return void this.#delayed.push(() => this.#takeBatch(values, source));
    this.#receiveBatch(values, source);
  }

  #receiveBatch(values: readonly unknown[], { origin, isLate }: BatchSource): void {
    const { routes, limits } = this.#host;
    const problem = findBatchProblem(values, { batching: routes.batching, maxBatch: limits.maxBatch });
    if (problem !== undefined) {
      this.#host.report({ kind: "protocol", error: new Error(problem) });
      for (const incoming of values.map(classify)) this.#discard(incoming, new Error(problem));
      return this.#reject(undefined, invalidRequest(problem), undefined);
    }
    const batch = new Batch(values.length, (replies) => this.#host.replyAll(replies));
    for (const incoming of values.map(classify)) {
      if (isLate && incoming.kind === "request") this.#reject(incoming.id, closing(), batch);
      else this.#receive(incoming, batch, origin);
    }
  }

  #receive(incoming: Incoming, batch: Batch | undefined, origin: unknown): void {
    switch (incoming.kind) {
      case "request":
        return this.#options.incomingRequests.accept(incoming, batch || origin ? { batch, origin } : nowhere);
      case "invalid":
        return this.#receiveInvalid(incoming, batch);
      case "notification":
        acceptNotification(origin === undefined ? incoming : { ...incoming, origin }, this.#host, this.#options);
        return batch?.skip();
      case "result":
        this.#options.pendingRequests.resolve(incoming.id, incoming.result);
        return batch?.skip();
      case "error":
        this.#options.pendingRequests.reject(incoming.id, incoming.error);
        return batch?.skip();
      case "unusable":
        this.#receiveUnusable(incoming);
        return batch?.skip();
      default:
        return incoming satisfies never;
    }
  }

  #receiveInvalid(incoming: Extract<Incoming, { kind: "invalid" }>, batch: Batch | undefined): void {
    const { id, reason } = incoming;
    const error = new Error(reason);
    this.#host.report({ kind: "protocol", error });
    if (this.#discard(incoming, error)) return batch?.skip();
    this.#reject(id, invalidRequest(reason), batch);
  }

  #receiveUnusable(incoming: Extract<Incoming, { kind: "unusable" }>): void {
    const error = new Error(incoming.reason);
    this.#host.report({ kind: "protocol", error });
    this.#discard(incoming, error);
  }

  /** Fails the call with the unusable response immediately: no other response will come. Returns true if the call was pending. */
  #discard(incoming: Incoming, error: Error): boolean {
    const id = responseIdOf(incoming);
    return id !== undefined && this.#options.pendingRequests.discard(id, error);
  }

  /** Sends an error response. Without a readable id the error has none: neither `null` nor an invented one. */
  #reject(id: RequestId | undefined, error: RpcError, batch: Batch | undefined): void {
    if (id === undefined && !this.#options.reportsStrays) return batch?.skip();
    const body = toErrorObject(error);
    this.#host.reply(id === undefined ? { jsonrpc: "2.0", error: body } : { jsonrpc: "2.0", id, error: body }, batch);
  }
}

/** Circumstances in which a batch has arrived. */
interface BatchSource {
  readonly origin: unknown;
  readonly isLate: boolean;
}

function closing(): RpcError {
  return new RpcError(errorCodes.internalError, "The connection is closing; repeat the request on another one");
}

/** Source of nearly every request: no batch, and no information of the transport. */
const nowhere: { readonly batch: undefined; readonly origin: undefined } = { batch: undefined, origin: undefined };
