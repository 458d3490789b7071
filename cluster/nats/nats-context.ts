import type { Health } from "../engine/health.ts";
import type { KeyRing } from "../engine/key-ring.ts";
import type { NatsLink } from "./nats-link.ts";
import type { NatsLimits } from "./nats-limits.ts";
import type { NatsNames } from "./nats-names.ts";
import type { NatsPlaces } from "./nats-places.ts";
import type { Operations } from "../engine/operations.ts";
import type { ServerClock } from "./server-clock.ts";

/** Parts shared by all stores of one engine. */
export interface NatsContext {
  readonly link: NatsLink;
  readonly operations: Operations;
  readonly names: NatsNames;
  readonly places: NatsPlaces;
  readonly clock: ServerClock;
  readonly ring: KeyRing;
  readonly limits: NatsLimits;
  readonly health: Health;
}

/** Attempts to change a value while others change it. */
export const mostAttempts = 50;
