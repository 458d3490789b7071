import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../../generator/internal/package-info.ts";
import { UserError } from "../../../generator/internal/user-error.ts";
import type { Wire } from "../wires/wire.ts";

/** Documented rules of a host. Undocumented rules are absent: nothing is assumed. */
export interface HostProfile {
  readonly name: string;
  readonly facts: readonly HostFact[];
}

/** One documented rule of a host. */
export type HostFact = Origin &
  (
    | {
        readonly kind: "transports";
        readonly supported: readonly Wire["transport"][];
        readonly deprecated?: readonly Wire["transport"][];
      }
    /** Ways in which the host authenticates itself. */
    | { readonly kind: "auth"; readonly supported: readonly ("none" | "oauth")[] }
    /** Annotations that each tool has, all of them or one of them. */
    | { readonly kind: "annotations"; readonly required?: readonly string[]; readonly oneOf?: readonly string[] }
    /** Maximum length of the name that the model sees. `{server}` stands for the name of the server. */
    | { readonly kind: "tool-name"; readonly prefix: string; readonly max: number }
    | { readonly kind: "tool-description"; readonly max: number }
    /** Characters of the instructions: `max` are read, or `preferred` should contain what matters. */
    | { readonly kind: "instructions"; readonly max?: number; readonly preferred?: number }
    /** Number of tools of all servers together. */
    | { readonly kind: "tools"; readonly max: number }
    /**
     * A capability, under one of its names, that the host uses only over some transports or at some revisions. `delivery` has the modes of events that
     * the host accepts.
     */
    | {
        readonly kind: "capability";
        readonly paths: readonly (readonly string[])[];
        readonly transports?: readonly Wire["transport"][];
        readonly revisions?: readonly string[];
        readonly delivery?: readonly string[];
      }
    /** Members of tools that a search finds them by: the model sees the other members only after it. */
    | { readonly kind: "tool-search"; readonly by: readonly ("name" | "description")[] }
    /** Capabilities of servers. Those that are in neither list are not documented. */
    | { readonly kind: "features"; readonly supported: readonly string[]; readonly unsupported?: readonly string[] }
  );

/** Origin of a fact. */
interface Origin {
  readonly source: string;
  /** Day on which the source was read. */
  readonly read: string;
}

/** Returns the profiles of all known hosts. */
export function readHostProfiles(): Readonly<Record<string, HostProfile>> {
  return JSON.parse(readFileSync(join(packageRoot, "spec", "hosts.json"), "utf8"));
}

/**
 * Returns the profiles of hosts, named with commas between them.
 *
 * @throws {UserError} when a name is not known
 */
export function chooseHosts(words: readonly string[]): ReadonlyMap<string, HostProfile> {
  const all = readHostProfiles();
  const names = words.flatMap((word) => word.split(",")).map((name) => name.trim());
  const unknown = names.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined)
    throw new UserError(
      `--host: unknown host ${JSON.stringify(unknown)}; choose among ${Object.keys(all).join(", ")}.`,
    );
  return new Map(Object.entries(all).filter(([name]) => names.includes(name)));
}
