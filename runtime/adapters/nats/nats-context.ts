import type { SessionKey } from "../../stores/session-store.ts";
import type { Health } from "../../scale/engine/health.ts";
import type { KeyRing } from "../../scale/engine/key-ring.ts";
import type { NatsLink } from "./nats-link.ts";
import type { NatsLimits } from "./nats-limits.ts";
import type { NatsNames } from "./nats-names.ts";
import type { Operations } from "../../scale/engine/operations.ts";
import type { ServerClock } from "./server-clock.ts";

/** Parts that all stores of one engine use. */
export interface NatsContext {
  readonly link: NatsLink;
  readonly operations: Operations;
  readonly names: NatsNames;
  readonly clock: ServerClock;
  readonly ring: KeyRing;
  readonly limits: NatsLimits;
  readonly health: Health;
}

/** Returns the pseudonym of a session, which reveals neither its id nor its owner. */
export function tagSession(ring: KeyRing, { id, owner }: SessionKey): string {
  const [tag] = ring.tags("session", id, owner);
  return tag;
}

/** Returns the pseudonym of an owner. */
export function tagOwner(ring: KeyRing, owner: string | undefined): string {
  const [tag] = ring.tags("owner", owner ?? "", owner === undefined ? "none" : "one");
  return tag;
}

/** Attempts to change a value that others change at the same time. */
export const mostAttempts = 50;
