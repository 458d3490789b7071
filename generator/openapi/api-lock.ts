import { hashText, isInnerPath } from "../internal/files.ts";
import { escapeJson, isRecord, jsonText, parseJson } from "../internal/json-text.ts";
import type { Tree } from "../internal/tree.ts";
import { UserError } from "../internal/user-error.ts";
import { recordOperations, type OperationRecord, type OperationRecords } from "./compare-operations.ts";
import type { SourcePlace } from "./emit-source.ts";
import { outputModes, type OutputMode } from "./operation.ts";
import { hashParts, readParts } from "./source-parts.ts";
import type { ProjectSource } from "./source.ts";

/** Name of the lock file, in the folder of a project. */
export const apiLockName = "openapi.lock.json";

/** Record of a generated file. */
export interface FileRecord {
  /** Hash of its text. */
  readonly text: string;
  /** Hashes of its statements, and of the members of definitions. */
  readonly parts: Readonly<Record<string, string>>;
}

/** Record of an API in a project: its document, the choices, and the generated files. */
export interface ApiRecord {
  /** Name within the project. The document a project was created from is `api`. */
  readonly name: string;
  /** Path of the document relative to the project, with forward slashes. */
  readonly document: string;
  readonly only?: string;
  readonly prefix?: string;
  readonly output: OutputMode;
  readonly place: SourcePlace;
  readonly operations: OperationRecords;
  /** Operations whose tools were removed, by method and path. They get no tool until `--only` selects operations again. */
  readonly removed?: readonly string[];
  readonly files: Readonly<Record<string, FileRecord>>;
}

/** Facts about an API that are not in its source. */
export type ApiFacts = Pick<ApiRecord, "name" | "document" | "place" | "removed">;

/** Records an API with its generated files. */
export function recordApi(source: ProjectSource, tree: Tree, { removed = [], ...facts }: ApiFacts): ApiRecord {
  const { name, document, place } = facts;
  const { only, prefix, output } = source;
  const files = [...tree].map(([path, text]): [string, FileRecord] => [path, recordFile(path, text)]);
  return {
    name,
    document,
    ...(only !== undefined && { only }),
    ...(prefix !== undefined && { prefix }),
    output,
    place,
    operations: recordOperations(source),
    ...(removed.length > 0 && { removed }),
    files: Object.fromEntries(files.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Records a generated file. */
export function recordFile(path: string, text: string): FileRecord {
  return { text: hashText(text), parts: hashParts(readParts(path, text)) };
}

/** Writes the text of a lock file. */
export function apiLockText(apis: readonly ApiRecord[]): string {
  return `${escapeJson(jsonText({ format: 1, apis }))}\n`;
}

/** Reads the text of a lock file. @throws {UserError} when it is not one of this version. */
export function readApiLock(text: string): readonly ApiRecord[] {
  const value = parseJson(text);
  const apis =
    isRecord(value) && value.format === 1 && Array.isArray(value.apis) ? value.apis.map(readApi) : [undefined];
  const known = apis.filter((api) => api !== undefined);
  if (known.length === apis.length) return known;
  throw new UserError(`${apiLockName} is not a lock file of this version; restore it from version control.`);
}

function readApi(value: unknown): ApiRecord | undefined {
  if (!isRecord(value) || !isRecord(value.place)) return undefined;
  const { name, document, only, prefix, output, place } = value;
  const mode = outputModes.find((known) => known === output);
  const operations = readMembers(value.operations, readOperation);
  const files = readMembers(value.files, readFile);
  const removed = Array.isArray(value.removed) ? value.removed.filter((one) => typeof one === "string") : [];
  if (typeof name !== "string" || typeof document !== "string" || !mode || !operations || !files) return undefined;
  if (typeof place.folder !== "string" || typeof place.test !== "string") return undefined;
  if (![place.folder, place.test, ...Object.keys(files)].every(isInnerPath)) return undefined;
  return {
    name,
    document,
    ...(typeof only === "string" && { only }),
    ...(typeof prefix === "string" && { prefix }),
    output: mode,
    place: { folder: place.folder, test: place.test },
    operations,
    ...(removed.length > 0 && { removed }),
    files,
  };
}

/** Reads the members of an object; `undefined` when one cannot be read. */
function readMembers<Value>(
  object: unknown,
  read: (value: unknown) => Value | undefined,
): Readonly<Record<string, Value>> | undefined {
  if (!isRecord(object)) return undefined;
  const entries = Object.entries(object);
  const known = entries.flatMap(([key, member]): [string, Value][] => {
    const value = read(member);
    return value === undefined ? [] : [[key, value]];
  });
  return known.length === entries.length ? Object.fromEntries(known) : undefined;
}

function readFile(value: unknown): FileRecord | undefined {
  if (!isRecord(value) || typeof value.text !== "string" || !isRecord(value.parts)) return undefined;
  const parts = Object.entries(value.parts).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return { text: value.text, parts: Object.fromEntries(parts) };
}

function readOperation(value: unknown): OperationRecord | undefined {
  if (!isRecord(value)) return undefined;
  const { tool, parameters, result, access } = value;
  if (typeof tool !== "string" || typeof parameters !== "string") return undefined;
  if (typeof result !== "string" || typeof access !== "string") return undefined;
  return { tool, parameters, result, access };
}
