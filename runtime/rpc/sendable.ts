import { isObject } from "../../generated/support.ts";
import { downgradeParams } from "./downgrade.ts";
import { merge } from "./merge.ts";
import type { Session } from "./session.ts";

/** Something that is about to be sent. */
export interface Sendable {
  readonly kind: "request" | "notification";
  readonly method: string;
  readonly params: unknown;
}

/** Params as the session's revision has them, together with what each request has to say about its sender. */
export function toSendable({ downgrade, toMetadata }: Session, sendable: Sendable): unknown {
  const params = downgrade ? downgradeParams(downgrade, sendable) : sendable.params;
  if (!toMetadata || sendable.kind === "notification") return params;
  const given = isObject(params) ? params : {};
  const meta = isObject(given._meta) ? given._meta : {};
  return merge(given, { _meta: merge(toMetadata(), meta) });
}
