import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Members of options that bound something. */
const member = /^ {2}readonly (max[A-Z]\w*|logRate|progressRate|(?:handshake|headers|request|body)Timeout)(\?)?: /;

/** Members of option types that are durations of caches or delays, and bound nothing that a peer could use up. */
const durations = ["maxAge", "maxStale", "maxDelay"];

/** File that describes streams of the NATS server. */
const streams = join("adapters", "nats", "nats-link.ts");

/** Returns the names of all published limits as `Type.member`: optional members of exported interfaces of the runtime. */
export function readPublishedLimits(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const names = files
    .filter((name) => name !== streams)
    .flatMap((name) => readLimits(readFileSync(join(folder, name), "utf8")));
  return [...new Set(names)].toSorted();
}

function readLimits(source: string): readonly string[] {
  let type: string | undefined;
  const found: string[] = [];
  for (const line of source.split("\n")) {
    const opened = /^export (?:interface|type) (\w+)/.exec(line)?.[1];
    if (opened !== undefined) type = opened;
    else if (line.startsWith("}")) type = undefined;
    const [, name = "", optional] = member.exec(line) ?? [];
    // `Limits` are given in part; all its members may be.
    const isOption = optional !== undefined || type === "Limits";
    if (type !== undefined && isOption && name !== "" && !durations.includes(name)) found.push(`${type}.${name}`);
  }
  return found;
}
