import { isObject, type NotificationRow, type RequestRow } from "../../generated/support.ts";
import { downgradeParams } from "./downgrade.ts";
import { CapabilityError } from "./errors.ts";
import { merge } from "./merge.ts";
import { isOpen, type Session } from "./session.ts";

/** Something that is about to be sent. */
export interface Sendable {
  readonly kind: "request" | "notification";
  readonly method: string;
  readonly params: unknown;
}

/** Throws when a message needs a capability that the side which must has not declared. */
export function requireGate({ gate, method }: RequestRow | NotificationRow, host: { requireSession(): Session }): void {
  if (gate && !isOpen(gate, host.requireSession())) throw new CapabilityError(method, gate);
}

/** Params as the session's revision has them, together with what each request has to say about its sender. */
export function toSendable({ downgrade, toMetadata }: Session, sendable: Sendable): unknown {
  const params = downgrade ? downgradeParams(downgrade, sendable) : sendable.params;
  if (!toMetadata || sendable.kind === "notification") return params;
  const given = isObject(params) ? params : {};
  const meta = isObject(given._meta) ? given._meta : {};
  return merge(given, { _meta: merge(toMetadata(), meta) });
}
