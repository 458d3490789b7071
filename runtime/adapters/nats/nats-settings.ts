import type { NatsStreamSettings } from "./nats-link.ts";

/** Returns the settings with which NATS may lose data, each in one sentence. */
export function findWeaknesses(streams: readonly NatsStreamSettings[]): readonly string[] {
  const inMemory = streams.find(({ isOnDisk }) => !isOnDisk);
  const limited = streams.find(({ maxBytes }) => maxBytes > 0);
  return [
    ...(inMemory ? [`NATS has ${inMemory.name} in memory, and loses it when it stops; remove that stream`] : []),
    ...(limited ? [`NATS removes data when ${limited.name} is full; remove max_bytes of that stream`] : []),
    ...(streams.some(({ copies }) => copies === 1) ? [oneCopy] : []),
  ];
}

const oneCopy = "Each stream of NATS has one copy, which may be lost with its server; set replicas to 3";
