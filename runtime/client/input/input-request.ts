import { isObject, type NotificationRow, type RequestRow, type Revision } from "../../../generated/support.ts";
import { findMethod } from "../../protocol/methods/method-rows.ts";
import type { CallContext, RequestOptions } from "../../protocol/peer/incoming-call.ts";
import { InvalidMessageError } from "../../jsonrpc/errors.ts";
import { toProgressRate } from "../../protocol/peer/progress.ts";
import type { Session } from "../../protocol/session/session.ts";
import { toWrittenRow } from "../../protocol/session/written-row.ts";
import type { Rate } from "../../jsonrpc/token-bucket.ts";
import type { ClientConnection } from "../connect.ts";
import { InputRequiredError } from "../errors.ts";

/** Connection and handlers for input requests of a server. */
export interface Responder {
  readonly connection: ClientConnection;
  /** Functions by handler name, as for requests of a server. */
  readonly handlers: object;
}

/** Input request inside of a result. */
export interface InputRequest {
  readonly key: string;
  readonly request: unknown;
  readonly result: object;
}

/**
 * Runs the handler of an input request and returns its response.
 *
 * @throws {InputRequiredError} when this client does not handle the method
 * @throws {InvalidMessageError} when the params or the response do not fit the method
 */
export async function handleInputRequest(
  { connection, handlers }: Responder,
  { key, request, result }: InputRequest,
  signal: AbortSignal,
): Promise<unknown> {
  const { method, params } = isObject(request) ? request : {};
  const found = typeof method === "string" ? findMethod(connection.revision.embeddedRequests, method) : undefined;
  const row = found && toWrittenRow(found, connection.session);
  const handler: unknown = row && Reflect.get(handlers, row.handler);
  if (!row || typeof handler !== "function") {
    throw new InputRequiredError(`by ${String(method)}, which this client does not handle`, result);
  }
  const issue = params === undefined && row.paramsOptional ? undefined : row.params(params);
  if (issue) throw new InvalidMessageError(row.method, "params", issue);
  const response: unknown = await handler.call(handlers, params, new EmbeddedCall(connection, { key, params, signal }));
  const wrong = row.result(response);
  if (wrong) throw new InvalidMessageError(row.method, "result", wrong);
  return response;
}

/** Context of a response: the input request is part of a result, so no message can belong to it. */
class EmbeddedCall implements CallContext {
  readonly connection: ClientConnection;
  readonly requestId: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly origin = undefined;
  readonly progressRate: Rate = toProgressRate(undefined);

  constructor(
    connection: ClientConnection,
    { key, params, signal }: { readonly key: string; readonly params: unknown; readonly signal: AbortSignal },
  ) {
    this.connection = connection;
    this.requestId = key;
    this.meta = isObject(params) && isObject(params._meta) ? params._meta : {};
    this.signal = signal;
  }

  get session(): Session {
    return this.connection.session;
  }

  get revision(): Revision {
    return this.connection.revision;
  }

  /** Does nothing: a server receives no progress for an input request inside of a result. */
  async progress(): Promise<void> {}

  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void> {
    return this.connection.notify(row, params);
  }

  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result> {
    return this.connection.request(row, params, options);
  }
}
