import { isObject } from "../../generated/support.ts";
import { errorCodes, toErrorObject } from "../../runtime/jsonrpc/errors.ts";
import type { Channel, Receiver } from "../../runtime/jsonrpc/channel.ts";
import { classify, type Message, type RequestId } from "../../runtime/jsonrpc/message.ts";
import { findMethod } from "../../runtime/protocol/methods/method-rows.ts";
import type { Exchange, Outcome, ServerMessage } from "./exchanges.ts";
import { withReference, type MockPosition, type MockScript } from "./mock-script.ts";

/** Parts of a mock shared by its connections. */
export interface MockConnectionOptions {
  readonly script: MockScript;
  /** All open connections of the mock. */
  readonly connections: Set<MockConnection>;
}

/** Connection of a client to a mock server. It sends what the recorded server has sent. */
export class MockConnection implements Receiver {
  readonly #channel: Channel;
  readonly #options: MockConnectionOptions;
  readonly #position: MockPosition;
  /** Requests of the client in progress, with a function to end each. */
  readonly #running = new Map<RequestId, () => void>();
  /** Requests of the mock without a response yet. */
  readonly #waiting = new Map<RequestId, () => void>();
  /** Ids of requests for subscriptions to changes. */
  readonly #subscriptions = new Set<RequestId>();
  #lastId = 0;

  constructor(channel: Channel, options: MockConnectionOptions) {
    this.#channel = channel;
    this.#options = options;
    this.#position = options.script.createPosition();
  }

  start(): void {
    this.#options.connections.add(this);
    this.#channel.start(this);
  }

  message(value: unknown): void {
    this.classified(classify(value));
  }

  classified(incoming: ReturnType<typeof classify>): void {
    switch (incoming.kind) {
      case "request":
        return void this.#respond(incoming.id, incoming);
      case "notification":
        return this.#receiveNotification(incoming.method, incoming.params);
      case "result":
      case "error":
        if (incoming.id !== undefined) this.#waiting.get(incoming.id)?.();
        return;
      case "invalid":
      case "unusable":
        return;
      default:
        return incoming satisfies never;
    }
  }

  problem(): void {}

  ended(): void {
    this.disconnected();
  }

  disconnected(): void {
    this.#options.connections.delete(this);
    for (const end of [...this.#running.values(), ...this.#waiting.values()]) end();
  }

  /** Notifies the client of a change. Where the revision requires a subscription, each subscription gets the notification. */
  notifyChange({ method, params }: ServerMessage): void {
    const { subscriptionKey } = this.#options.script;
    if (subscriptionKey === undefined) return this.#notify(method, params);
    for (const id of this.#subscriptions)
      this.#notify(method, withReference(params, { subscription: [subscriptionKey, id] }));
  }

  async #respond(id: RequestId, { method, params }: Call): Promise<void> {
    const exchange = this.#position.find(method, params);
    if (!exchange) return this.#respondWithout(id, { method, params });
    const ended = new Promise<"ended">((resolve) => this.#running.set(id, () => resolve("ended")));
    const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
    const call = { id, progressToken: meta.progressToken, ended };
    if (this.#isSubscription(exchange)) this.#subscriptions.add(id);
    if (await this.#play(exchange.before, call)) {
      await this.#finish(exchange.outcome, call);
      this.#running.delete(id);
      this.#subscriptions.delete(id);
      await this.#play(exchange.after, call);
    }
    this.#running.delete(id);
    this.#subscriptions.delete(id);
  }

  #isSubscription({ method }: Exchange): boolean {
    return findMethod(this.#options.script.revision.clientRequests, method)?.duration === "endless";
  }

  /** Responds to a request missing in the recording. */
  #respondWithout(id: RequestId, { method, params }: Call): void {
    if (plainMethods.has(method)) return this.#send({ jsonrpc: "2.0", id, result: {} });
    const error = toErrorObject(this.#options.script.reject(method, params));
    this.#send({ jsonrpc: "2.0", id, error });
  }

  #receiveNotification(method: string, params: unknown): void {
    if (method === "notifications/cancelled") {
      const id = isObject(params) ? params.requestId : undefined;
      if (typeof id === "string" || typeof id === "number") this.#running.get(id)?.();
      return;
    }
    const exchange = this.#position.find(method, params);
    if (exchange) void this.#play([...exchange.before, ...exchange.after], { ended: new Promise(() => {}) });
  }

  /** Sends messages in order. A request waits for its response. Returns false if the call has ended. */
  async #play(messages: readonly ServerMessage[], call: PlayedCall): Promise<boolean> {
    for (const message of messages) {
      if (message.kind === "notification") this.#sendNotification(message, call);
      else if ((await Promise.race([this.#request(message), call.ended])) === "ended") return false;
    }
    return true;
  }

  #sendNotification(message: ServerMessage, { id, progressToken }: PlayedCall): void {
    const { method, params, to } = message;
    if (to === "all") {
      for (const connection of this.#options.connections) connection.notifyChange(message);
      return;
    }
    if (method === "notifications/progress") {
      if (progressToken !== undefined) this.#notify(method, withReference(params, { progressToken }));
      return;
    }
    const { subscriptionKey: key } = this.#options.script;
    const isTagged =
      key !== undefined && isObject(params) && isObject(params._meta) && Object.hasOwn(params._meta, key);
    this.#notify(method, isTagged ? withReference(params, { subscription: [key, id] }) : params);
  }

  /** Sends a request, and waits for its response, whatever it is. */
  async #request({ method, params }: ServerMessage): Promise<"done"> {
    this.#lastId += 1;
    const id = this.#lastId;
    const responded = new Promise<void>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) });
    await responded;
    this.#waiting.delete(id);
    return "done";
  }

  async #finish(outcome: Outcome, { id, ended }: RunningCall): Promise<void> {
    switch (outcome.kind) {
      case "result":
        return this.#send({ jsonrpc: "2.0", id, result: outcome.result });
      case "error":
        return this.#send({ jsonrpc: "2.0", id, error: outcome.error });
      case "cancelled":
        return void (await ended);
      case "none":
        if (this.#subscriptions.has(id)) return void (await ended);
        return this.#send({
          jsonrpc: "2.0",
          id,
          error: { code: errorCodes.internalError, message: "The recording ends before the response to this request" },
        });
      default:
        return outcome satisfies never;
    }
  }

  #notify(method: string, params: unknown): void {
    this.#send({ jsonrpc: "2.0", method, ...(params !== undefined && { params }) });
  }

  #send(message: Message): void {
    // A channel in memory never returns a promise, and ignores messages after its end.
    void this.#channel.send(message);
  }
}

interface Call {
  readonly method: string;
  readonly params: unknown;
}

/** Message of a client whose recorded messages of the server are sent. A notification has no id. */
interface PlayedCall {
  readonly id?: RequestId;
  readonly progressToken?: unknown;
  /** Resolves when the call was cancelled or the connection has ended. */
  readonly ended: Promise<"ended">;
}

interface RunningCall extends PlayedCall {
  readonly id: RequestId;
}

/** Requests without effect on the mock. They succeed even if they were not recorded. */
const plainMethods: ReadonlySet<string> = new Set(["ping", "logging/setLevel"]);
