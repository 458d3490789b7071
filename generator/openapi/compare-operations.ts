import { hashText } from "../internal/files.ts";
import type { Operation } from "./operation.ts";
import type { ProjectSource } from "./source.ts";

/** Record of an operation, as a tool was written for it. */
export interface OperationRecord {
  readonly tool: string;
  /** Hash of its parameters, its body and their schemas. */
  readonly parameters: string;
  /** Hash of its result. */
  readonly result: string;
  /** Hash of its address and its credentials. */
  readonly access: string;
}

/** Records by method and path: `GET /pets`. */
export type OperationRecords = Readonly<Record<string, OperationRecord>>;

/** Difference between the operations of two versions of a document. */
export interface OperationChange {
  readonly kind: "new" | "changed" | "gone";
  /** Method and path. */
  readonly operation: string;
  readonly tool: string;
  /** Name of the tool before, if it is another one. */
  readonly formerTool?: string;
  /** Changed parts: "parameters", "result", "access" or "name". */
  readonly parts: readonly string[];
}

/** Records the operations with a tool. */
export function recordOperations({ api, plan }: ProjectSource): OperationRecords {
  const names = new Set(plan.tools.map(({ entry }) => entry.name));
  const kept = api?.operations.filter(({ name }) => names.has(name)) ?? [];
  return Object.fromEntries(kept.map((operation) => [`${operation.method} ${operation.path}`, toRecord(operation)]));
}

function toRecord(operation: Operation): OperationRecord {
  const { name, parameters, body, input, output, others, returnsFile, address, access } = operation;
  return {
    tool: name,
    parameters: hashOf({ parameters, body, input }),
    result: hashOf({ output, others, returnsFile }),
    access: hashOf({ address, access }),
  };
}

function hashOf(value: unknown): string {
  return hashText(JSON.stringify(value)).slice(0, 16);
}

/** Lists new, changed and removed operations, in this order. */
export function compareOperations(before: OperationRecords, after: OperationRecords): readonly OperationChange[] {
  const has = (records: OperationRecords, operation: string): boolean => Object.hasOwn(records, operation);
  const added = Object.entries(after).filter(([operation]) => !has(before, operation));
  const gone = Object.entries(before).filter(([operation]) => !has(after, operation));
  const changed = Object.entries(after).flatMap(([operation, record]): OperationChange[] => {
    const former = has(before, operation) ? before[operation] : undefined;
    const parts = former ? changedParts(former, record) : [];
    const isRenamed = former !== undefined && former.tool !== record.tool;
    const change = { kind: "changed", operation, tool: record.tool, parts } as const;
    return parts.length > 0 ? [{ ...change, ...(isRenamed && { formerTool: former.tool }) }] : [];
  });
  return [
    ...added.map(([operation, { tool }]): OperationChange => ({ kind: "new", operation, tool, parts: [] })),
    ...changed,
    ...gone.map(([operation, { tool }]): OperationChange => ({ kind: "gone", operation, tool, parts: [] })),
  ];
}

function changedParts(before: OperationRecord, after: OperationRecord): string[] {
  const same = (["parameters", "result", "access"] as const).filter((part) => before[part] !== after[part]);
  return before.tool === after.tool ? same : ["name", ...same];
}
