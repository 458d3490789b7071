import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { runAddOpenapi, type AddOpenapiOptions } from "../../../cli/commands/add-openapi.ts";
import type { Tree } from "../../../generator/internal/tree.ts";
import { temporaryFolder, listAll } from "../../kit/temporary-folders.ts";
import { emitFiles, writeFiles } from "../../kit/projects.ts";

/** Responses with a JSON object. */
export const json = (schema: object): object => ({
  "200": { description: "ok", content: { "application/json": { schema } } },
});
/** Parameter of `list`. */
export const limit = { name: "limit", in: "query", schema: { type: "integer" } };
/** Schema of a pet. */
export const pet = { type: "object", properties: { name: { type: "string" } } };

/** Path items with one operation each. */
export const list = { get: { operationId: "listPets", parameters: [limit], responses: json(pet) } };
export const show = { get: { operationId: "showPet", responses: json(pet) } };
export const remove = { delete: { operationId: "deletePet", responses: { "204": { description: "gone" } } } };

/** Writes a document with these paths. */
export function petsOf(paths: object, more: object = {}): object {
  const components = { securitySchemes: { key: { type: "http", scheme: "bearer" } } };
  const info = { title: "Pet shop", version: "1" };
  const address = [{ url: "https://pets.example/v1" }];
  return { openapi: "3.1.0", info, servers: address, components, security: [{ key: [] }], paths, ...more };
}

/** Document with the operations `list` and `show`. */
export const both = petsOf({ "/pets": list, "/pets/{id}": show });

/** A project to which documents are added. */
export interface ApiProject {
  readonly folder: string;
  readonly add: (options?: Partial<AddOpenapiOptions>) => Promise<number>;
  readonly read: (path: string) => string;
  readonly write: (path: string, text: string) => void;
  /** Replaces the document. */
  readonly change: (document: object, name?: string) => void;
  /** Lines that were printed since the last call. */
  readonly lines: () => string[];
  /** Text of every file, without that of the protocol layer. */
  readonly all: () => Record<string, string>;
}

/** Files of a project of each schema library. */
const emitted = new Map<string, Promise<Tree>>();

/** Writes a project and the document `pets.json` beside it. */
export async function project(document = both, schema = "json"): Promise<ApiProject> {
  const root = temporaryFolder();
  const selection = { schema, features: "tools", extras: "mcpb" };
  const files = emitted.get(schema) ?? emitFiles({ revisions: ["2025-11-25"], selection });
  emitted.set(schema, files);
  writeFiles(join(root, "demo"), await files);
  return openProject(root, document);
}

/** Opens a project, and writes the document `pets.json` beside it. */
export function openProject(root: string, document: object): ApiProject {
  const folder = join(root, "demo");
  const printed: string[] = [];
  const collect = (text: unknown): void => void printed.push(String(text));
  vi.spyOn(console, "log").mockImplementation(collect);
  vi.spyOn(console, "error").mockImplementation(collect);
  onTestFinished(() => void vi.restoreAllMocks());
  const read = (path: string): string => readFileSync(join(folder, path), "utf8");
  const change = (next: object, name = "pets.json"): void => writeFileSync(join(root, name), JSON.stringify(next));
  change(document);
  return {
    folder,
    read,
    change,
    add: (options = {}) =>
      runAddOpenapi({
        document: join(root, "pets.json"),
        folder,
        check: false,
        dryRun: false,
        force: false,
        ...options,
      }),
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    lines: () => printed.splice(0),
    all: () =>
      Object.fromEntries(
        listAll(folder)
          .filter((path) => /\.(ts|json)$/.test(path) && !/mcp[/\\]|^vendor/.test(path))
          .map((path) => [path, read(path)]),
      ),
  };
}
