import type { NatsStreamSettings } from "../nats-link.ts";

/** Settings of a server on which depends what it keeps. */
export interface NatsSettings {
  readonly streams: readonly NatsStreamSettings[];
  /** Version of the server. */
  readonly version: string;
  /** True if the account has a limit of its own for what it stores. */
  readonly isLimited: boolean;
}

/** Returns the settings with which NATS may lose data, each in one sentence. */
export function findWeaknesses({ streams, version, isLimited }: NatsSettings): readonly string[] {
  const inMemory = streams.find(({ isOnDisk }) => !isOnDisk);
  const limited = streams.find(({ maxBytes }) => maxBytes > 0);
  const hasOneCopy = streams.some(({ copies }) => copies === 1);
  return [
    ...(inMemory ? [`NATS has ${inMemory.name} in memory, and loses it when it stops; remove that stream`] : []),
    ...(limited ? [`NATS removes data when ${limited.name} is full; remove max_bytes of that stream`] : []),
    ...(isLimited && hasOneCopy && !isVersion(version, [2, 11]) ? [fullAccount] : []),
    ...(hasOneCopy ? [oneCopy] : []),
  ];
}

/** True for a version, or a newer one. */
export function isVersion(version: string, [major, minor]: readonly [major: number, minor: number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split(".").map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

/** A write beyond the limit is removed, but only after it has replaced the previous value. */
const fullAccount = "NATS before 2.11 removes data when the account is full; limit max_file_store instead";

const oneCopy = "Each stream of NATS has one copy, which may be lost with its server; set replicas to 3";
