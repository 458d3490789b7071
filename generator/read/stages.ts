import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../internal/package-info.ts";

/**
 * Stage of an extension. Only a stable one keeps its wire format until the next revision of the core.
 *
 * @see https://modelcontextprotocol.io/seps/3392-extension-lifecycle
 */
export interface ExtensionStage {
  readonly stage: "experimental" | "beta" | "stable";
  /** Revision of the extension, if it has published one. */
  readonly revision?: string;
  /** Page that states the stage. */
  readonly clause: string;
  /** Day on which the page was read. */
  readonly read: string;
}

/** Returns the stages of the known extensions, by identifier. */
export function readStages(): Readonly<Record<string, ExtensionStage>> {
  return JSON.parse(readFileSync(join(packageRoot, "spec", "stages.json"), "utf8"));
}

/** Returns the stage of an extension, if it is known. */
export function findStage(id: string, stages: Readonly<Record<string, ExtensionStage>>): ExtensionStage | undefined {
  return Object.hasOwn(stages, id) ? stages[id] : undefined;
}

/** Describes an extension before its stable stage: `io.modelcontextprotocol/tasks is beta`. Returns `undefined` for a stable one. */
export function describeUnstable(id: string, stages: Readonly<Record<string, ExtensionStage>>): string | undefined {
  const stage = findStage(id, stages)?.stage;
  if (stage === "stable") return undefined;
  return stage === undefined ? `${id} has no known stage` : `${id} is ${stage}`;
}
