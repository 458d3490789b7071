/** Engine on NATS JetStream, for servers that run on several nodes. */
export { createNatsEngine } from "./nats-engine.ts";
export type { NatsEngineOptions, NatsTls } from "./nats-engine.ts";
export type { NatsLimits } from "./store-context.ts";
