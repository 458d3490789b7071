import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sourcesIn } from "../../docs/doc-comments.ts";
import { runtimeFolders } from "../../repository/architecture/rooms.ts";

const root = join(import.meta.dirname, "..", "..", "..");

/** Members of options that bound something. */
const member = /^ {2}readonly (max[A-Z]\w*|logRate|progressRate|(?:handshake|headers|request|body)Timeout)(\?)?: /;

/** Members of option types that are durations of caches or delays, and bound nothing that a peer could use up. */
const durations = ["maxAge", "maxStale", "maxDelay"];

/** File that describes streams of the NATS server. */
const streams = "cluster/nats/nats-link.ts";

/** Returns the names of all published limits as `Type.member`: optional members of exported interfaces of the runtime. */
export function readPublishedLimits(): readonly string[] {
  const names = runtimeFolders
    .flatMap(sourcesIn)
    .filter((file) => file !== streams)
    .flatMap((file) => readLimits(readFileSync(join(root, file), "utf8")));
  return [...new Set(names)].toSorted();
}

function readLimits(source: string): readonly string[] {
  const heirs = readHeirs(source);
  let type: string | undefined;
  const found: string[] = [];
  for (const line of source.split("\n")) {
    const [, exported, name] = /^(export )?(?:interface|type) (\w+)/.exec(line) ?? [];
    if (name !== undefined) type = exported ? name : heirs.get(name);
    else if (line.startsWith("}")) type = undefined;
    const [, limit = "", optional] = member.exec(line) ?? [];
    // `Limits` are given in part; all its members may be.
    const isOption = optional !== undefined || type === "Limits";
    if (type !== undefined && isOption && limit !== "" && !durations.includes(limit)) found.push(`${type}.${limit}`);
  }
  return found;
}

/** Returns the exported interfaces that extend groups of options of the same file, by group. */
function readHeirs(source: string): ReadonlyMap<string, string> {
  const heirs = [...source.matchAll(/^export interface (\w+) extends ([^{]+)\{/gm)];
  return new Map(
    heirs.flatMap(([, heir = "", groups = ""]) => (groups.match(/\w+/g) ?? []).map((group) => [group, heir] as const)),
  );
}
