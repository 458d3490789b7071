import { DeadlineTimer, systemClock, type Clock } from "../../internal/timers.ts";
import type { Channel, FramingProblem, Receiver } from "../../jsonrpc/channel.ts";
import type { ConnectionMetrics, HasSize } from "../../jsonrpc/counted-channel.ts";
import { deliverReport, type ErrorReport, type OnError } from "../../jsonrpc/error-report.ts";
import { ClosedError, RpcError, closedEarly, toError, toErrorObject } from "../../jsonrpc/errors.ts";
import { isEndless, toLimits, toTimeouts, type Limits, type Timeouts } from "../../jsonrpc/limits.ts";
import { hasLogRoom } from "../../jsonrpc/log-buffer.ts";
import { classify, type Incoming, type Message, type Outgoing, type RequestId } from "../../jsonrpc/message.ts";
import { transmit } from "../../jsonrpc/responses.ts";
import { toProgressRate } from "./progress.ts";
import type { Rate } from "../../jsonrpc/token-bucket.ts";
import type { CloseOptions, Connection, State } from "../session/connection.ts";
import { findHandler } from "./find-handler.ts";
import type { CallHost, CallTable, IncomingCall, IncomingRequest } from "./incoming-call.ts";
import { drain } from "./incoming-requests.ts";
import { noSteps, type MessageSteps } from "./message-middleware.ts";
import type { PeerSettings } from "./peer-options.ts";
import type { StatelessRoutes } from "./routes.ts";
import type { Session } from "../session/session.ts";
import { StatelessCall, StatelessSender } from "./stateless-request.ts";

/** Settings shared by all stateless connections of a server. */
export interface StatelessSettings {
  readonly limits: Limits;
  readonly timeouts: Timeouts;
  readonly progressRate: Rate;
  readonly clock: Clock;
  readonly metrics: ConnectionMetrics | undefined;
  readonly onError: OnError | undefined;
  readonly steps: MessageSteps;
}

/** Fills in the defaults of the options of a server. */
export function toStatelessSettings({
  clock = systemClock,
  metrics,
  onError,
  steps = noSteps,
  ...given
}: Omit<PeerSettings, "reportsStrays">): StatelessSettings {
  return {
    limits: toLimits(given.limits),
    timeouts: toTimeouts(given.timeouts),
    progressRate: toProgressRate(given.progressRate),
    clock,
    metrics,
    onError,
    steps,
  };
}

/** Creates the connection of one stateless request. */
export type ConnectStateless = (channel: Channel, entry: StatelessRoutes, settings: StatelessSettings) => Connection;

/** Creates the connection of one stateless request, and starts its channel. */
export const connectStateless: ConnectStateless = (channel, entry, settings) =>
  new StatelessConnection(channel, entry, settings);

/**
 * Connection for one stateless request. The transport has read its metadata, so the session is known from the beginning. No other message follows,
 * and no request can be sent.
 */
class StatelessConnection extends StatelessSender implements Connection, CallHost, CallTable, Receiver, HasSize {
  readonly #channel: Channel;
  readonly #entry: StatelessRoutes;
  readonly #settings: StatelessSettings;
  /** Call whose handler is running. */
  #running: IncomingCall | undefined;
  #hasRequest = false;
  #state: State = "NOT_INITIALIZED";
  #closing: Promise<void> | undefined;
  // Most responses are sent at once: the members for those that take longer are created when they are needed.
  #closed: Promise<Error | undefined> | undefined;
  #resolveClosed: ((reason: Error | undefined) => void) | undefined;
  #closeReason: Error | undefined;
  #deadlines: DeadlineTimer | undefined;
  #whenIdle: (() => void)[] | undefined;

  constructor(channel: Channel, entry: StatelessRoutes, settings: StatelessSettings) {
    super();
    this.#channel = channel;
    this.#entry = entry;
    this.#settings = settings;
    settings.metrics?.enter(this, nothing, channel);
    channel.start(this);
  }

  get state(): State {
    return this.#state;
  }

  /** None is opened: the request has its own. */
  get session(): undefined {
    return undefined;
  }

  /** Number of calls waiting for their handler. */
  get size(): number {
    return this.#running ? 1 : 0;
  }

  get progressRate(): Rate {
    return this.#settings.progressRate;
  }

  get timeouts(): Timeouts {
    return this.#settings.timeouts;
  }

  get steps(): MessageSteps {
    return this.#settings.steps;
  }

  get closed(): Promise<Error | undefined> {
    this.#closed ??= new Promise((resolve) => {
      if (this.#state === "DISCONNECTED") resolve(this.#closeReason);
      else this.#resolveClosed = resolve;
    });
    return this.#closed;
  }

  message(value: unknown, origin?: unknown): void {
    this.classified(classify(value), origin);
  }

  classified(incoming: Incoming, origin?: unknown): void {
    if (this.#closing) return;
    if (this.#hasRequest || incoming.kind !== "request")
      return this.#reportFault("A stateless connection carries one request");
    this.#hasRequest = true;
    this.#accept(incoming, origin);
  }

  problem({ message }: FramingProblem): void {
    this.#reportFault(message);
  }

  ended(): void {
    void this.close();
  }

  disconnected(reason?: Error): void {
    if (this.#state === "DISCONNECTED") return;
    this.#state = "DISCONNECTED";
    this.#closeReason = reason;
    this.#closing ??= Promise.resolve();
    this.#deadlines?.stop();
    this.#settings.metrics?.leave(this);
    this.#resolveClosed?.(reason);
    if (this.#running) this.#abort(closedEarly(reason));
  }

  close({ drain: milliseconds = this.#settings.timeouts.drain }: CloseOptions = {}): Promise<void> {
    this.#closing ??= Promise.resolve().then(() => this.#close(milliseconds));
    return this.#closing;
  }

  requireSession(): Session {
    return this.#entry.session;
  }

  send(message: Outgoing, related?: RequestId): void | Promise<void> {
    const { limits, metrics } = this.#settings;
    if (hasLogRoom(message, this.#channel, limits)) return this.#channel.send(message, related);
    metrics?.drop("log");
  }

  now(): number {
    return this.#settings.clock.now();
  }

  deadlineAfter(milliseconds: number): number {
    const deadline = this.now() + milliseconds;
    if (deadline === Infinity) return deadline;
    this.#deadlines ??= new DeadlineTimer(this.#settings.clock, (now) => this.#running?.sweep(now, this) ?? Infinity);
    this.#deadlines.watch(deadline);
    return deadline;
  }

  report(report: ErrorReport): void {
    deliverReport(report, this.#settings);
  }

  reply(response: Message): void {
    this.#settings.metrics?.responded(response);
    transmit(response, this.#channel, this);
  }

  enter(call: IncomingCall): void {
    this.#running = call;
  }

  leave(call: IncomingCall): void {
    if (this.#running !== call) return;
    this.#running = undefined;
    this.#reportIdle();
  }

  /** Calls back once, when the handler has ended. Aborts the signal of an endless call, so that it ends. */
  whenIdle(run: () => void): void {
    if (!this.#running) return run();
    (this.#whenIdle ??= []).push(run);
    if (isEndless(this.#running.row)) this.#running.abortEndless();
  }

  #reportIdle(): void {
    const waiting = this.#whenIdle;
    this.#whenIdle = undefined;
    for (const run of waiting ?? []) run();
  }

  #reportFault(message: string): void {
    this.report({ kind: "protocol", error: new Error(message) });
  }

  /** Checks the request, runs its handler and sends the response. */
  #accept(request: IncomingRequest, origin: unknown): void {
    const handled = findHandler(request, this.#entry);
    if (handled instanceof RpcError)
      return this.reply({ jsonrpc: "2.0", id: request.id, error: toErrorObject(handled) });
    const { row, handle } = handled;
    new StatelessCall(this, { request: handled.request, row, origin }).run(handle, handled.request.params, this);
  }

  #abort(reason: Error): void {
    this.#running?.abort(reason);
    this.#running = undefined;
    this.#reportIdle();
  }

  async #close(milliseconds: number): Promise<void> {
    await drain(this, this.#settings.clock, milliseconds);
    this.#abort(new ClosedError("The connection was closed before the response was sent"));
    try {
      await this.#channel.close();
    } catch (thrown) {
      this.report({ kind: "transport", error: toError(thrown) });
    }
    this.disconnected();
  }
}

/** Load of outgoing requests, of which there are none. */
const nothing: HasSize = { size: 0 };
