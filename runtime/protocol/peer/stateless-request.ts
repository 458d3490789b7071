import { asHandled } from "../../internal/as-handled.ts";
import type { Gate, NotificationRow, RequestRow, Revision } from "../../../generated/support.ts";
import { IncomingCall, type CallHost, type IncomingRequest } from "./incoming-call.ts";
import type { CloseOptions, State } from "../session/connection.ts";
import { RpcError, errorCodes, isCapabilityError } from "../../jsonrpc/errors.ts";
import type { NotificationMessage, Outgoing, RequestId } from "../../jsonrpc/message.ts";
import type { MessageSteps } from "./message-middleware.ts";
import { checkChanged, checkParams, requireGate } from "./outgoing-params.ts";
import { isOpen, type Session } from "../session/session.ts";
import type { Rate } from "../../jsonrpc/token-bucket.ts";

/** Part of the connection used by a stateless call. */
export interface StatelessHost extends CallHost {
  readonly steps: MessageSteps;
  send(message: Outgoing, related?: RequestId): void | Promise<void>;
}

/** Stateless request, with its row and its origin. */
export interface StatelessRequest {
  readonly request: IncomingRequest;
  readonly row: RequestRow;
  readonly origin: unknown;
}

/** Creates the call of a stateless request. */
export function createStatelessCall(host: StatelessHost, session: Session, request: StatelessRequest): IncomingCall {
  const sender = new RequestHost(host, session);
  sender.call = new StatelessCall(sender, request);
  return sender.call;
}

/** Call outside of its connection's session. It sends nothing once it is over. */
export class StatelessCall extends IncomingCall {
  constructor(host: CallHost, { request, row, origin }: StatelessRequest) {
    super(host, request, row, { batch: undefined, origin });
  }

  override notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void> {
    return this.isOver ? Promise.resolve() : super.notify(row, params);
  }
}

/** Way of the messages of a stateless call. They are sent at the revision of its own session. */
export abstract class StatelessSender {
  /** Middleware of the end, composed. */
  abstract readonly steps: MessageSteps;

  abstract requireSession(): Session;

  abstract send(message: Outgoing, related?: RequestId): void | Promise<void>;

  /** Rejects every request to the client, because none can be sent here. The error names a capability the client has not declared. */
  request<Params, Result>(row: RequestRow<Params, Result>): Promise<Result> {
    const session = this.requireSession();
    const { revision } = session;
    if (row.gate && !isOpen(row.gate, session)) return Promise.reject(missingCapability(revision, row.gate));
    const advice = "send it from a tool, prompt or resource handler";
    return Promise.reject(new Error(`Revision ${revision.id} does not allow ${row.method} here; ${advice}`));
  }

  notify<Params>(row: NotificationRow<Params>, params: Params, related?: RequestId): Promise<void> {
    return asHandled(this.#notify(row, params, related));
  }

  async sendNotification(message: NotificationMessage, related?: RequestId): Promise<void> {
    const { sendNotification } = this.steps;
    if (!sendNotification) return void (await this.#sendConverted(message, related));
    const { method, params } = message;
    const session = this.requireSession();
    await sendNotification({ method, params, session }, (given) => {
      if (given !== params) checkChanged(session, { method, params: given });
      return this.#sendConverted({ ...message, params: given }, related);
    });
  }

  #sendConverted(message: NotificationMessage, related: RequestId | undefined): void | Promise<void> {
    const params = this.#convert(message.method, message.params);
    return this.send(params === message.params ? message : { ...message, params }, related);
  }

  async #notify<Params>(row: NotificationRow<Params>, params: Params, related: RequestId | undefined): Promise<void> {
    requireGate(row, this);
    const { sendNotification } = this.steps;
    if (!sendNotification) return void (await this.#sendChecked(row, params, related));
    const message = { method: row.method, params, session: this.requireSession() };
    await sendNotification(message, (given) => this.#sendChecked(row, given, related));
  }

  #sendChecked(row: NotificationRow, params: unknown, related: RequestId | undefined): void | Promise<void> {
    const sendable = this.#convert(row.method, params);
    checkParams(row, sendable);
    return this.send({ jsonrpc: "2.0", method: row.method, params: sendable }, related);
  }

  #convert(method: string, params: unknown): unknown {
    const { converter } = this.requireSession();
    return converter ? converter.params({ kind: "notification", method, params }) : params;
  }
}

/** Stateless request on a shared connection. */
class RequestHost extends StatelessSender implements CallHost {
  readonly session: Session;
  call: StatelessCall | undefined;
  readonly #host: StatelessHost;

  constructor(host: StatelessHost, session: Session) {
    super();
    this.#host = host;
    this.session = session;
  }

  get steps(): MessageSteps {
    return this.#host.steps;
  }

  get state(): State {
    return this.#host.state;
  }

  get closed(): Promise<Error | undefined> {
    return this.#host.closed;
  }

  get progressRate(): Rate {
    return this.#host.progressRate;
  }

  close(options?: CloseOptions): Promise<void> {
    return this.#host.close(options);
  }

  now(): number {
    return this.#host.now();
  }

  deadlineAfter(milliseconds: number): number {
    return this.#host.deadlineAfter(milliseconds);
  }

  requireSession(): Session {
    return this.session;
  }

  send(message: Outgoing, related?: RequestId): void | Promise<void> {
    // Middleware may have waited until the call was over.
    if (related !== undefined && this.call?.isOver) return;
    return this.#host.send(message, related);
  }
}

/**
 * Creates the error of a request whose client did not declare a needed capability. The client may declare it and retry.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta
 */
export function missingCapability({ errors }: Revision, { path }: Gate): RpcError {
  const name = "missingRequiredClientCapability";
  const code = (Object.hasOwn(errors, name) ? errors[name]?.code : undefined) ?? errorCodes.invalidRequest;
  const requiredCapabilities = path.reduceRight<object>((inner, key) => ({ [key]: inner }), {});
  return new RpcError(code, `The client has not declared the capability ${path.join(".")}`, {
    data: { requiredCapabilities },
  });
}

/** Converts an error for clients with stateless requests: they may declare the missing capability and retry. */
export function toStatelessError(error: unknown, revision: Revision): unknown {
  return isCapabilityError(error) && error.gate.side === "client" ? missingCapability(revision, error.gate) : error;
}
