import { isLinearPattern } from "../../../runtime/adapters/linear-pattern.ts";
import type { SafeSchema, SchemaLoss } from "./safe-schema.ts";

/** State of reading one schema. */
export interface Reading {
  readonly root: unknown;
  readonly losses: SchemaLoss[];
  readonly definitions: Map<string, SafeSchema>;
  /** Names of definitions by their pointer. */
  readonly names: Map<string, string>;
  readonly read: ReadNode;
  readonly acceptPattern: AcceptPattern;
}

/** Predicate for patterns: true if a check can enforce the pattern. */
export type AcceptPattern = (pattern: string) => boolean;

/** Reads one schema at a path. */
export type ReadNode = (schema: unknown, path: string, reading: Reading) => SafeSchema;

/** Creates the state of reading a schema. */
export function createReading(root: unknown, read: ReadNode, acceptPattern: AcceptPattern = isLinearPattern): Reading {
  return { root, losses: [], definitions: new Map(), names: new Map(), read, acceptPattern };
}

/** Records a loss in the list of the reading. */
export function note({ losses }: Reading, kind: SchemaLoss["kind"], path: string, message: string): void {
  losses.push({ kind, path, message });
}
