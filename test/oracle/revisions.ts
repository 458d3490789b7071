import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { RevisionModel } from "../../generator/model.ts";
import { readSchema, type Schema } from "../../generator/read/schema.ts";
import { withTags } from "../../generator/read/tags.ts";

const specFolder = join(import.meta.dirname, "../../spec");

/** Identifiers of the revisions under `spec/`, oldest first. */
export const revisions: readonly string[] = readdirSync(specFolder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && /^\d/.test(entry.name))
  .map(({ name }) => name)
  .sort();

/** Reads the declarations of a revision without its overlay: what the schema alone says. */
export function readDeclared(revision: string): Schema {
  return readSchema(`spec/${revision}/schema.ts`, readFileSync(join(specFolder, revision, "schema.ts"), "utf8"));
}

/** A model of the same declarations, complete enough to emit checks from: it has no methods and no rules. */
export function readBareModel(revision: string): RevisionModel {
  const { constants, declarations } = readDeclared(revision);
  return {
    format: 1,
    id: revision,
    status: "released",
    source: { path: `spec/${revision}/schema.ts`, sha256: "" },
    declaredVersion: undefined,
    constants,
    declarations: withTags(declarations),
    methods: [],
    rules: {
      lifecycle: "handshake",
      batching: false,
      neverBatched: [],
      polling: false,
      jsonSchemaDialect: undefined,
      errors: [],
      headers: [],
      reservedMeta: [],
      resultTypes: undefined,
      emptyCapabilities: [],
    },
  };
}
