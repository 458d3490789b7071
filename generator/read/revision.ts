import { hashText } from "../internal/files.ts";
import type { ConversionRule, RevisionModel, Rules } from "../model.ts";
import type { Overlay } from "../model/overlay.ts";
import { applyOverlay } from "./apply-overlay.ts";
import { readMethods } from "./methods.ts";
import { rejectStrays } from "./reject-strays.ts";
import { readSchema, type Schema } from "./schema.ts";
import { SpecError } from "../internal/spec-error.ts";
import { withTags } from "./tags.ts";

/** Input for reading one revision. */
export interface RevisionInput {
  readonly id: string;
  readonly status: "released" | "draft";
  /** Path and text of `schema.ts`. The path is for messages only and is never opened. */
  readonly schema: { readonly path: string; readonly text: string };
  readonly overlay: { readonly path: string; readonly value: Overlay };
  /** Upstream commit the schema was copied from or verified against. */
  readonly commit?: string;
}

/** Reads one revision completely. @throws {SpecError} at the first problem, with file and place. */
export function readRevision(input: RevisionInput): RevisionModel {
  const { id, status, schema, overlay, commit } = input;
  const { constants, declarations } = readSchema(schema.path, schema.text);
  const complete = applyOverlay(withTags(declarations), overlay.value, overlay.path);
  const methods = readMethods(complete, overlay.value, overlay.path);
  rejectStrays(overlay.value, { declarations: complete, methods }, overlay.path);
  const version = constants.find(({ name }) => name === "LATEST_PROTOCOL_VERSION")?.value;
  return {
    format: 1,
    id,
    status,
    source: { path: schema.path, sha256: hashText(schema.text), ...(commit !== undefined && { commit }) },
    declaredVersion: typeof version === "string" ? version : undefined,
    constants,
    declarations: complete,
    methods,
    rules: toRules(overlay.value, constants, overlay.path),
    ...(overlay.value.removed && { removed: overlay.value.removed.flatMap(({ names }) => names) }),
    ...(overlay.value.conversions && { conversions: overlay.value.conversions.map(withoutClause) }),
  };
}

function withoutClause({ rule, at, value, reason }: ConversionRule): ConversionRule {
  return { rule, at, ...(value !== undefined && { value }), reason };
}

function toRules(overlay: Overlay, constants: Schema["constants"], path: string): Rules {
  for (const { name, code, constant } of overlay.errors) {
    if (constant === undefined) continue;
    const found = constants.find((candidate) => candidate.name === constant)?.value;
    if (found === code) continue;
    throw new SpecError({
      file: path,
      text: `error ${name} is ${code} here, but the schema's ${constant} is ${found ?? "not declared"}`,
    });
  }
  return {
    lifecycle: overlay.lifecycle.kind,
    batching: overlay.batching.accepted,
    neverBatched: overlay.batching.never ?? [],
    polling: overlay.polling !== undefined,
    jsonSchemaDialect: overlay.jsonSchemaDialect?.uri,
    errors: overlay.errors.map(({ name, code, emitted, status }) => ({
      name,
      code,
      emitted,
      ...(status !== undefined && { status }),
    })),
    headers: (overlay.headers ?? []).map(({ clause: _clause, ...header }) => header),
    reservedMeta: (overlay.reservedMeta ?? []).map(({ clause: _clause, ...meta }) => meta),
    resultTypes: overlay.resultTypes && {
      known: overlay.resultTypes.known,
      absentMeans: overlay.resultTypes.absentMeans,
    },
    emptyCapabilities: (overlay.emptyCapabilities ?? []).map(({ clause: _clause, ...capability }) => capability),
  };
}
