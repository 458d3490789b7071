/** Engine on NATS JetStream, for servers on several nodes. */
export { createNatsEngine } from "./nats-engine.ts";
export type { NatsEngineOptions } from "./nats-engine.ts";
export type { NatsTls } from "./nats-link.ts";
export type { NatsLimits } from "./nats-limits.ts";
