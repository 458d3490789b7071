import { isObject, type NotificationRow, type RequestRow } from "../../../generated/support.ts";
import { CapabilityError, InvalidMessageError } from "../../jsonrpc/errors.ts";
import { findMethod } from "../methods/method-rows.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import { merge } from "../../internal/merge.ts";
import { isOpen, type Session } from "../session/session.ts";

/** Message to be sent. */
export interface OutgoingMessage {
  readonly kind: "request" | "notification";
  readonly method: string;
  readonly params: unknown;
  /** Token with which the peer may report progress. */
  readonly progressToken?: RequestId | undefined;
}

/**
 * Checks that the capability needed by a message was declared.
 *
 * @throws {CapabilityError} when it was not declared
 * @throws {ClosedError} when there is no session
 */
export function requireGate({ gate, method }: RequestRow | NotificationRow, host: { requireSession(): Session }): void {
  if (gate && !isOpen(gate, host.requireSession())) throw new CapabilityError(method, gate);
}

/**
 * Returns params as the session's revision has them, with each request's metadata about itself and its sender.
 *
 * @throws {InvalidMessageError} when the given metadata is invalid
 * @throws {ConversionError} when a value would be lost and `onLoss` is `error`
 */
export function toOutgoingMessage(session: Session | undefined, sendable: OutgoingMessage): unknown {
  const metadata = sendable.kind === "request" ? session?.toMetadata?.() : undefined;
  const params = withMetadata(session, sendable, metadata);
  return session?.converter ? session.converter.params({ ...sendable, params }) : params;
}

function withMetadata(
  session: Session | undefined,
  { method, params, progressToken }: OutgoingMessage,
  metadata: Readonly<Record<string, unknown>> | undefined,
): unknown {
  if (!metadata && progressToken === undefined) return params;
  const given = isObject(params) ? params : {};
  // New members come first: adding one after a spread makes engines leave their fast path.
  const own = progressToken === undefined ? metadata : { progressToken, ...metadata };
  if (!Object.hasOwn(given, "_meta")) return { _meta: own, ...given };
  const meta = isObject(given._meta) ? given._meta : {};
  const issue = session?.checkMetadata?.(meta);
  if (issue) throw new InvalidMessageError(method, "params", issue);
  const token = progressToken === undefined ? {} : { progressToken };
  return merge(given, { _meta: merge(metadata ? merge(metadata, meta) : meta, token) });
}

/**
 * Checks the params of one of the runtime's own notifications, after middleware has changed them.
 *
 * @throws {InvalidMessageError} when they do not fit the method
 */
export function checkChanged(
  session: Session | undefined,
  { method, params }: Pick<OutgoingMessage, "method" | "params">,
): void {
  if (!session) return;
  const { revision, converter, role } = session;
  const { clientNotifications, serverNotifications } = converter?.written ?? revision;
  const row = findMethod(role === "client" ? clientNotifications : serverNotifications, method);
  if (row) checkParams(row, params);
}

/**
 * Checks params before they are sent.
 *
 * @throws {InvalidMessageError} when they do not fit their row
 */
export function checkParams(row: RequestRow | NotificationRow, params: unknown): void {
  if (params === undefined && row.paramsOptional) return;
  const issue = row.params(params);
  if (issue) throw new InvalidMessageError(row.method, "params", issue);
}
