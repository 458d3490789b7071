import type { NotificationRow, RequestRow } from "../../../generated/support.ts";
import type { Batch } from "../../jsonrpc/batch.ts";
import { noOptions, type RequestOptions } from "../session/request-options.ts";
import type { Channel, FramingProblem, Receiver, TransportSession } from "../../jsonrpc/channel.ts";
import type { CloseOptions, Connection, State } from "../session/connection.ts";
import type { Routes } from "./routes.ts";
import { asHandled } from "../../internal/as-handled.ts";
import { createConfirmation, type Confirmation } from "../../jsonrpc/confirmation.ts";
import { checkChanged, checkParams, requireGate, toOutgoingMessage, type OutgoingMessage } from "./outgoing-params.ts";
import { ClosedError, closedEarly, toError } from "../../jsonrpc/errors.ts";
import { IncomingRequests, drain, type IncomingRequestsHost } from "./incoming-requests.ts";
import { toLimits, toTimeouts, type Limits, type Timeouts } from "../../jsonrpc/limits.ts";
import type { Incoming, Message, NotificationMessage, Outgoing, RequestId } from "../../jsonrpc/message.ts";
import { noSteps, type MessageSteps } from "./message-middleware.ts";
import { MessageRouter, type MessageRouterHost } from "./message-router.ts";
import { hasLogRoom } from "../../jsonrpc/log-buffer.ts";
import {
  createNoRequests,
  type OutgoingRequests,
  type OutgoingRequestsHost,
  type ResponseListener,
} from "./request-table.ts";
import type { PeerSettings } from "./peer-options.ts";
import { transmit } from "../../jsonrpc/responses.ts";
import { toProgressRate } from "./progress.ts";
import { deliverReport, type ErrorReport } from "../../jsonrpc/error-report.ts";
import type { Session } from "../session/session.ts";
import { DeadlineTimer, systemClock, type Clock } from "../../internal/timers.ts";
import type { Rate } from "../../jsonrpc/token-bucket.ts";

export type { Connection, State } from "../session/connection.ts";

/** JSON-RPC over a channel, the same for both ends. The lifecycle defines through `open` what may arrive. */
export class Peer implements Connection, Receiver, IncomingRequestsHost, OutgoingRequestsHost, MessageRouterHost {
  readonly closed: Promise<Error | undefined>;
  readonly limits: Limits;
  readonly timeouts: Timeouts;
  readonly progressRate: Rate;
  readonly deadlines: DeadlineTimer;
  readonly steps: MessageSteps;
  readonly #channel: Channel;
  readonly #settings: PeerSettings;
  readonly #clock: Clock;
  readonly #incomingRequests: IncomingRequests;
  readonly #pendingRequests: OutgoingRequests;
  readonly #router: MessageRouter;
  #routes: Routes;
  #session: Session | undefined;
  #state: State = "NOT_INITIALIZED";
  #phase: Phase = "open";
  #confirmation: Confirmation | undefined;
  #closing: Promise<void> | undefined;
  #resolveClosed: (reason: Error | undefined) => void = () => {};

  constructor(channel: Channel, routes: Routes, options: PeerSettings) {
    this.#channel = channel;
    this.#routes = routes;
    this.#settings = options;
    this.steps = options.steps ?? noSteps;
    this.limits = toLimits(options.limits);
    this.timeouts = toTimeouts(options.timeouts);
    this.progressRate = toProgressRate(options.progressRate);
    this.#clock = options.clock ?? systemClock;
    this.deadlines = new DeadlineTimer(this.#clock, (now) => this.#sweep(now));
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    // The parts read the members above.
    this.#incomingRequests = new IncomingRequests(this);
    this.#pendingRequests = (options.createPendingRequests ?? createNoRequests)(this);
    this.#router = new MessageRouter(this, {
      incomingRequests: this.#incomingRequests,
      pendingRequests: this.#pendingRequests,
      reportsStrays: options.reportsStrays,
    });
    options.metrics?.enter(this.#incomingRequests, this.#pendingRequests, channel);
  }

  get state(): State {
    return this.#state;
  }

  get session(): Session | undefined {
    return this.#session;
  }

  get requestIdPrefix(): string | undefined {
    return this.#channel.requestIdPrefix;
  }

  get transportSession(): TransportSession | undefined {
    return this.#channel.session;
  }

  get routes(): Routes {
    return (this.#channel.carriesSessionOnly && this.#routes.sessionOnly) || this.#routes;
  }

  get isClosing(): boolean {
    return this.#phase !== "open";
  }

  start(): void {
    this.#channel.start(this);
  }

  begin(): void {
    if (this.#state === "NOT_INITIALIZED") this.#state = "INITIALIZING";
  }

  /** Opens the session agreed on by both ends: from now on these routes apply. */
  open(session: Session, routes: Routes): void {
    this.begin();
    this.#session = session;
    this.#routes = routes;
    this.#channel.agree?.(session.revision);
  }

  /** Completes the handshake: requests may be sent in both directions. */
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

  /** Sends a request whose outcome is delivered while the response is being read, before the next message. */
  ask<Params, Result>(
    row: RequestRow<Params, Result>,
    params: Params,
    settler: ResponseListener<Result>,
    options: RequestOptions = noOptions,
  ): void {
    this.#requireOpen(false);
    this.#pendingRequests.start(row, params, settler, options);
  }

  /** Sends a notification. Callers may ignore a rejection without ending the process, so it counts as handled. */
  notify<Params>(row: NotificationRow<Params>, params: Params, related?: RequestId): Promise<void> {
    try {
      // A reader that keeps up needs no promise: a change may notify thousands of sessions.
      const pending = this.#notify(row, params, related);
      return pending instanceof Promise ? asHandled(pending) : sent;
    } catch (error) {
      return asHandled(Promise.reject(error));
    }
  }

  async sendNotification(message: NotificationMessage, related?: RequestId): Promise<void> {
    this.#requireOpen(true);
    const { sendNotification } = this.steps;
    if (!sendNotification) return void (await this.#sendConverted(message, related));
    const { method, params } = message;
    await sendNotification({ method, params, session: this.#session }, (given) => {
      this.#requireOpen(true);
      if (given !== params) checkChanged(this.#session, { method, params: given });
      return this.#sendConverted({ ...message, params: given }, related);
    });
  }

  close({ drain: milliseconds = this.timeouts.drain }: CloseOptions = {}): Promise<void> {
    if (this.#phase === "open") this.#phase = "draining";
    this.#closing ??= Promise.resolve().then(() => this.#close(milliseconds));
    return this.#closing;
  }

  message(value: unknown, origin?: unknown): void {
    if (this.#phase !== "closed") this.#router.message(value, origin);
  }

  classified(incoming: Incoming, origin?: unknown): void {
    if (this.#phase !== "closed") this.#router.classified(incoming, origin);
  }

  hold(id: RequestId): () => void {
    return this.#pendingRequests.hold(id);
  }

  problem(problem: FramingProblem): void {
    if (this.#phase !== "closed") this.#router.problem(problem);
  }

  ended(): void {
    void this.close();
    // Running calls may still send, but responses can no longer arrive.
    if (this.#phase === "draining") this.#phase = "sending";
    this.#pendingRequests.failAll(closedEarly(undefined));
  }

  disconnected(reason?: Error): void {
    if (this.#state === "DISCONNECTED") return;
    this.#state = "DISCONNECTED";
    this.#phase = "closed";
    this.#closing ??= Promise.resolve();
    this.deadlines.stop();
    this.#settings.metrics?.leave(this.#incomingRequests);
    this.#confirmation?.resolve();
    this.#resolveClosed(reason);
    if (this.#pendingRequests.size > 0) this.#pendingRequests.failAll(closedEarly(reason));
    if (this.#incomingRequests.size > 0) this.#incomingRequests.abortAll(closedEarly(reason));
  }

  requireSession(): Session {
    if (!this.#session) throw new ClosedError("The session is not initialized yet", { unsent: true });
    return this.#session;
  }

  requireSendable(related: RequestId | undefined): void {
    this.#requireOpen(related !== undefined && this.#phase !== "sending");
  }

  now(): number {
    return this.#clock.now();
  }

  toOutgoingMessage(sendable: OutgoingMessage): unknown {
    return toOutgoingMessage(this.#session, sendable);
  }

  deadlineAfter(milliseconds: number): number {
    const deadline = this.#clock.now() + milliseconds;
    this.deadlines.watch(deadline);
    return deadline;
  }

  send(message: Outgoing, related?: RequestId): void | Promise<void> {
    if (hasLogRoom(message, this.#channel, this.limits)) return this.#channel.send(message, related);
    this.#settings.metrics?.drop("log");
  }

  failed(id: RequestId, error: unknown): void {
    this.#channel.failed?.(id, error);
  }

  reply(message: Message, batch: Batch | undefined): void {
    this.#settings.metrics?.responded(message);
    if (batch) batch.add(message);
    else transmit(message, this.#channel, this);
  }

  replyAll(messages: readonly Message[]): void {
    transmit(messages, this.#channel, this);
  }

  abandon(id: RequestId): void {
    this.#channel.abandon?.(id);
  }

  report(report: ErrorReport): void {
    deliverReport(report, this.#settings);
  }

  #request<Params, Result>(
    row: RequestRow<Params, Result>,
    params: Params,
    options: RequestOptions,
    related: RequestId | undefined,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.requireSendable(related);
      requireGate(row, this);
      this.#pendingRequests.start(
        row,
        params,
        { resolve, reject },
        related === undefined ? options : { ...options, related },
      );
    });
  }

  #notify<Params>(row: NotificationRow<Params>, params: Params, related: RequestId | undefined): void | Promise<void> {
    this.#requireOpen(true);
    requireGate(row, this);
    const { sendNotification } = this.steps;
    if (!sendNotification) return this.#sendChecked(row, params, related);
    return sendNotification({ method: row.method, params, session: this.#session }, (given) => {
      this.#requireOpen(true);
      return this.#sendChecked(row, given, related);
    });
  }

  #sendChecked(row: NotificationRow, params: unknown, related: RequestId | undefined): void | Promise<void> {
    const sendable = this.#convert({ method: row.method, params });
    checkParams(row, sendable);
    const message: NotificationMessage = { jsonrpc: "2.0", method: row.method, params: sendable };
    const isEarly = this.#state === "INITIALIZING" && related === undefined && row.method !== "notifications/message";
    return isEarly ? this.#whenConfirmed().then(() => this.send(message, related)) : this.send(message, related);
  }

  #sendConverted(message: NotificationMessage, related: RequestId | undefined): void | Promise<void> {
    const params = this.#convert({ method: message.method, params: message.params });
    return this.send(params === message.params ? message : { ...message, params }, related);
  }

  /** Ends calls whose timeout has expired, and returns the earliest deadline left. */
  #sweep(now: number): number {
    return Math.min(this.#incomingRequests.sweep(now), this.#pendingRequests.sweep(now));
  }

  #requireOpen(isForRunningCalls: boolean): void {
    const isOpen = this.#phase === "open" || (isForRunningCalls && this.#phase !== "closed");
    if (!isOpen) throw new ClosedError("The connection is closed", { unsent: true });
  }

  /** Waits until the handshake is confirmed. A client that sends requests without ever confirming is served nevertheless, a little later. */
  #whenConfirmed(): Promise<void> {
    this.#confirmation ??= createConfirmation(this.#clock, this.timeouts.confirmation);
    return this.#confirmation.promise;
  }

  /** Returns the params of a notification as the session's revision has them. */
  #convert(notification: Omit<OutgoingMessage, "kind">): unknown {
    if (this.#session?.converter) return this.#session.converter.params({ kind: "notification", ...notification });
    return notification.params;
  }

  async #close(milliseconds: number): Promise<void> {
    const error = new ClosedError("The connection was closed before the response was sent");
    this.#pendingRequests.failUnrelated(error);
    await drain(this.#incomingRequests, this.#clock, milliseconds);
    this.#phase = "closed";
    this.#pendingRequests.failAll(error);
    this.#incomingRequests.abortAll(error);
    try {
      await this.#channel.close();
    } catch (thrown) {
      this.report({ kind: "transport", error: toError(thrown) });
    }
    this.disconnected();
  }
}

/**
 * Phase of the end of a connection. While it is draining, running calls finish: they notify, request and get responses as before, and only new
 * requests are refused. It is sending when the peer has ended its side meanwhile.
 */
type Phase = "open" | "draining" | "sending" | "closed";

/** Result of a sent notification. */
const sent: Promise<void> = Promise.resolve();
