import type { NotificationRow, RequestRow } from "../../generated/support.ts";
import type { Batch } from "./batch.ts";
import { noOptions, type RequestOptions } from "./call.ts";
import type { Channel, Problem, Receiver } from "./channel.ts";
import type { Connection, State } from "./connection.ts";
import type { Counting } from "./counting.ts";
import type { Routes } from "./dispatch.ts";
import { createConfirmation, type Confirmation } from "./confirmation.ts";
import { checkParams, requireGate, toSendable, type Sendable } from "./sendable.ts";
import { ClosedError, toError } from "./errors.ts";
import { Inbound, type InboundHost } from "./inbound.ts";
import { toLimits, toTimeouts, type Limits, type Timeouts } from "./limits.ts";
import type { Message, NotificationMessage, Outgoing, RequestId } from "./message.ts";
import { Intake, type IntakeHost } from "./intake.ts";
import { createNoCalls, type OutboundCalls, type OutboundHost, type Settler } from "./outbound-calls.ts";
import type { PeerSettings } from "./peer-options.ts";
import { toEncodable } from "./replies.ts";
import { toProgressRate } from "./pacer.ts";
import type { OnError, Report } from "./report.ts";
import type { Session } from "./session.ts";
import { Sweeper, systemClock, type Clock } from "./timers.ts";
import type { Rate } from "./token-bucket.ts";

export type { Connection, State } from "./connection.ts";

/** JSON-RPC over a channel, the same for both ends. What may arrive is set by the lifecycle through `open`. */
export class Peer implements Connection, Receiver, InboundHost, OutboundHost, IntakeHost {
  readonly closed: Promise<Error | undefined>;
  readonly limits: Limits;
  readonly timeouts: Timeouts;
  readonly progressRate: Rate;
  readonly hold = (id: RequestId): (() => void) => this.#outbound.hold(id);
  readonly #channel: Channel;
  readonly #onError: OnError | undefined;
  readonly #counters: Counting | undefined;
  readonly #clock: Clock;
  readonly #sweeper: Sweeper;
  readonly #inbound: Inbound = new Inbound(this);
  readonly #outbound: OutboundCalls;
  readonly #intake: Intake;
  #routes: Routes;
  #session: Session | undefined;
  #state: State = "NOT_INITIALIZED";
  #confirmation: Confirmation | undefined;
  #closing: Promise<void> | undefined;
  #resolveClosed: (reason: Error | undefined) => void = () => {};

  constructor(channel: Channel, routes: Routes, options: PeerSettings) {
    this.#channel = channel;
    this.#routes = routes;
    this.#outbound = options.createOutbound?.(this) ?? createNoCalls(this);
    this.#intake = new Intake(this, {
      inbound: this.#inbound,
      outbound: this.#outbound,
      answersNoise: options.answersNoise,
    });
    this.limits = toLimits(options.limits);
    this.timeouts = toTimeouts(options.timeouts);
    this.progressRate = toProgressRate(options.progressRate);
    this.#onError = options.onError;
    this.#counters = options.counters;
    this.#counters?.enter(this.#inbound, this.#outbound, channel);
    this.#clock = options.clock ?? systemClock;
    this.#sweeper = new Sweeper(this.#clock, (now) => Math.min(this.#inbound.sweep(now), this.#outbound.sweep(now)));
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
  }

  get state(): State {
    return this.#state;
  }

  get session(): Session | undefined {
    return this.#session;
  }

  get routes(): Routes {
    return this.#routes;
  }

  /** Begins to receive. */
  start(): void {
    this.#channel.start(this);
  }

  /** The handshake has begun. */
  begin(): void {
    if (this.#state === "NOT_INITIALIZED") this.#state = "INITIALIZING";
  }

  /** The two ends have agreed: from now on these routes hold. */
  open(session: Session, routes: Routes): void {
    this.begin();
    this.#session = session;
    this.#routes = routes;
    this.#channel.agree?.(session.revision);
  }

  /** The handshake is complete: requests may be sent in both directions. */
  confirm(): void {
    if (this.#state !== "INITIALIZING") return;
    this.#state = "INITIALIZED";
    this.#confirmation?.resolve();
  }

  request<Params, Result>(
    row: RequestRow<Params, Result>,
    params: Params,
    options: RequestOptions = noOptions,
    related?: RequestId,
  ): Promise<Result> {
    if (this.#state === "INITIALIZING" && this.#session && row.method !== "ping") {
      return this.#whenConfirmed().then(() => this.#request(row, params, options, related));
    }
    return this.#request(row, params, options, related);
  }

  /** Sends a request whose outcome is handed over while the answer is being read, before the next message is. */
  ask<Params, Result>(row: RequestRow<Params, Result>, params: Params, settler: Settler<Result>): void {
    this.#requireOpen();
    this.#outbound.start(row, params, settler, {});
  }

  /** A rejection that nobody waits for must not end the process, so it counts as handled. */
  notify<Params>(row: NotificationRow<Params>, params: Params, related?: RequestId): Promise<void> {
    const sent = this.#notify(row, params, related);
    sent.catch(() => {});
    return sent;
  }

  async sendNotification(message: NotificationMessage, related?: RequestId): Promise<void> {
    this.#requireOpen();
    const params = this.toSendable({ kind: "notification", method: message.method, params: message.params });
    await this.#channel.send(params === message.params ? message : { ...message, params }, related);
  }

  close(): Promise<void> {
    this.#closing ??= Promise.resolve().then(() => this.#close());
    return this.#closing;
  }

  // What the channel delivers.

  message(value: unknown, origin?: unknown): void {
    if (!this.#closing) this.#intake.message(value, origin);
  }

  problem(problem: Problem): void {
    if (!this.#closing) this.#intake.problem(problem);
  }

  ended(): void {
    void this.close();
  }

  disconnected(reason?: Error): void {
    if (this.#state === "DISCONNECTED") return;
    this.#state = "DISCONNECTED";
    this.#closing ??= Promise.resolve();
    this.#sweeper.stop();
    this.#counters?.leave(this.#inbound);
    this.#confirmation?.resolve();
    this.#resolveClosed(reason);
    if (this.#outbound.size + this.#inbound.size === 0) return;
    const error = new ClosedError("The connection closed before the answer came", { cause: reason });
    this.#outbound.failAll(error);
    this.#inbound.abortAll(error);
  }

  // What the two tables of calls need.

  requireSession(): Session {
    if (!this.#session) throw new ClosedError("There is no session yet: the handshake has not happened");
    return this.#session;
  }

  now(): number {
    return this.#clock.now();
  }

  toSendable(sendable: Sendable): unknown {
    return toSendable(this.#session, sendable);
  }

  watch(deadline: number): void {
    this.#sweeper.watch(deadline);
  }

  deadlineAfter(milliseconds: number): number {
    const deadline = this.#clock.now() + milliseconds;
    if (deadline !== Infinity) this.#sweeper.watch(deadline);
    return deadline;
  }

  send(message: Outgoing, related?: RequestId): void | Promise<void> {
    return this.#channel.send(message, related);
  }

  reply(message: Message, batch: Batch | undefined): void {
    this.#counters?.answered(message);
    if (batch) batch.add(message);
    else this.#transmit(message);
  }

  replyAll(messages: readonly Message[]): void {
    this.#transmit(messages);
  }

  abandon(id: RequestId): void {
    this.#channel.abandon?.(id);
  }

  report(report: Report): void {
    this.#counters?.reported(report);
    try {
      this.#onError?.(report);
    } catch {
      // The hook is the last resort: there is nobody left to tell.
    }
  }

  #request<Params, Result>(
    row: RequestRow<Params, Result>,
    params: Params,
    options: RequestOptions,
    related: RequestId | undefined,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#requireOpen();
      requireGate(row, this);
      this.#outbound.start(row, params, { resolve, reject }, related === undefined ? options : { ...options, related });
    });
  }

  async #notify<Params>(row: NotificationRow<Params>, params: Params, related: RequestId | undefined): Promise<void> {
    this.#requireOpen();
    requireGate(row, this);
    const sendable = this.toSendable({ kind: "notification", method: row.method, params });
    checkParams(row, sendable);
    const isEarly = this.#state === "INITIALIZING" && related === undefined && row.method !== "notifications/message";
    if (isEarly) await this.#whenConfirmed();
    await this.#channel.send({ jsonrpc: "2.0", method: row.method, params: sendable }, related);
  }

  #requireOpen(): void {
    if (this.#closing) throw new ClosedError("The connection is closed", { unsent: true });
  }

  /** A client that never confirms but talks on is served nevertheless, a little later. */
  #whenConfirmed(): Promise<void> {
    this.#confirmation ??= createConfirmation(this.#clock, this.timeouts.confirmation);
    return this.#confirmation.promise;
  }

  #transmit(message: Outgoing): void {
    try {
      this.#post(message);
    } catch (thrown) {
      this.report({ kind: "result", error: toError(thrown) });
      this.#post(toEncodable(message));
    }
  }

  #post(message: Outgoing): void {
    this.#channel.send(message)?.catch((error: unknown) => this.report({ kind: "transport", error: toError(error) }));
  }

  async #close(): Promise<void> {
    const error = new ClosedError("The connection was closed before the answer came");
    this.#outbound.failAll(error);
    await this.#drain();
    this.#inbound.abortAll(error);
    try {
      await this.#channel.close();
    } catch (thrown) {
      this.report({ kind: "transport", error: toError(thrown) });
    }
    this.disconnected();
  }

  #drain(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(this.timeouts.drain, resolve);
      this.#inbound.whenIdle(() => {
        cancel();
        resolve();
      });
    });
  }
}
