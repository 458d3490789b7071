import type { Constant, Declaration, ExtensionModel, ExtensionRules, Method, RevisionModel } from "../model.ts";
import type { ExtensionOverlay } from "../model/overlay.ts";
import { resolveObject } from "../model/resolve.ts";
import { applyOverlay } from "./apply-overlay.ts";
import { examineExtensionMethods, type ExtensionTerms } from "./methods.ts";
import { rejectStrays } from "./reject-strays.ts";
import { hashText } from "../internal/files.ts";
import { readSchema, type Schema } from "./schema.ts";
import { SpecError } from "../internal/spec-error.ts";
import { withTags } from "./tags.ts";

/** Input for reading one extension. */
export interface ExtensionInput {
  /** Name of the folder of the extension below `spec/extensions`. */
  readonly name: string;
  readonly status: "released" | "draft";
  /** Path and text of `schema.ts`. The path is for messages only and is never opened. */
  readonly schema: { readonly path: string; readonly text: string };
  readonly overlay: { readonly path: string; readonly value: ExtensionOverlay };
  /** Newest revision. The extension may import its declarations. */
  readonly core: RevisionModel;
  /** Upstream commit the schema was copied from or verified against. */
  readonly commit?: string;
}

/** Reads one extension completely. @throws {SpecError} at the first problem, with file and place. */
export function readExtension({ schema, core, ...input }: ExtensionInput): ExtensionModel {
  const parsed = readSchema(schema.path, schema.text, core.declarations);
  const { model, decisions } = examineExtension({ ...input, schema, core, parsed });
  if (decisions[0]) throw decisions[0];
  return model;
}

/**
 * Reads an extension as far as possible. `decisions` are the problems for which an overlay entry is missing; without them, the model is complete.
 *
 * @throws {SpecError} at the first other problem, with file and place
 */
export function examineExtension({
  name,
  status,
  schema,
  overlay: { path, value },
  core,
  commit,
  parsed: { constants, declarations },
}: ExtensionInput & { readonly parsed: Schema }): {
  readonly model: ExtensionModel;
  readonly decisions: readonly SpecError[];
} {
  const tagged = withTags(declarations, { declarations: [...core.declarations, ...declarations] });
  const own = applyOverlay([...core.declarations, ...tagged], value, path).slice(core.declarations.length);
  const scope = [...core.declarations, ...own];
  const { methods, decisions } = examineExtensionMethods(own, scope, { overlay: value, path, terms: toTerms(value) });
  rejectStrays(value, { declarations: scope, methods }, path);
  const source = { path: schema.path, sha256: hashText(schema.text), ...(commit !== undefined && { commit }) };
  const model = { format: 1, name, status, source, constants, declarations: own, core, scope, methods } as const;
  const rules = toRules(value);
  rejectStrangers(rules, model, path);
  return { model: { ...model, rules }, decisions: [...decisions, ...missingSettings(rules, model, path)] };
}

/** Returns the capabilities for the methods of the extension. Each is declared under the identifier of the extension. */
function toTerms({ id, declared }: ExtensionOverlay): ExtensionTerms {
  const path = ["extensions", id];
  return { gate: { side: "server", path }, ...(declared.client !== undefined && { needs: { side: "client", path } }) };
}

function toRules(overlay: ExtensionOverlay): ExtensionRules {
  const { id, lifecycles, declared, headers = [], results = [], members = [], provides = [] } = overlay;
  const { clause: _clause, ...types } = declared;
  return {
    id,
    lifecycles: lifecycles.kinds,
    declared: types,
    headers: headers.map(({ clause: _, ...header }) => header),
    results: results.map(({ clause: _, ...result }) => result),
    members: members.map(({ clause: _, ...added }) => added),
    provides: provides.map(({ member }) => member),
  };
}

interface Parts {
  readonly constants: readonly Constant[];
  readonly declarations: readonly Declaration[];
  readonly core: RevisionModel;
  readonly methods: readonly Method[];
}

/** Lists the sides whose settings have no type. */
function missingSettings({ declared }: ExtensionRules, { declarations }: Parts, path: string): SpecError[] {
  const missing = Object.entries(declared).filter(([, type]) => !declarations.some(({ name }) => name === type));
  return missing.map(([side, type]) => {
    const text = `the extension declares no \`${type}\`; declare it, or name another type in declared.${side}`;
    return new SpecError({ file: path, text });
  });
}

/** Rejects rules whose names do not exist: types in the extension, methods in the core, or objects in their params. */
function rejectStrangers(rules: ExtensionRules, { declarations, core, methods }: Parts, path: string): void {
  const { results, members } = rules;
  const named = [...results, ...members].map(({ type }) => type);
  const missing = named.find((type) => !declarations.some(({ name }) => name === type));
  if (missing !== undefined) throw new SpecError({ file: path, text: `the extension declares no \`${missing}\`` });
  const used = [...results, ...members].map(({ method }) => method);
  const unknown = used.find((method) => !core.methods.some(({ name }) => name === method));
  if (unknown !== undefined) throw new SpecError({ file: path, text: `revision ${core.id} has no \`${unknown}\`` });
  const twice = methods.find((method) => core.methods.some(({ name }) => name === method.name));
  if (twice) throw new SpecError({ file: path, text: takenText(twice.name, core.id) });
  const lost = members.find(({ method, at }) => !hasObject(core, method, at));
  if (lost) throw new SpecError({ file: path, text: `${lost.method} has no object at ${lost.at.join(".")}` });
}

function takenText(method: string, revision: string): string {
  return `revision ${revision} already has \`${method}\`; give the method of the extension another name`;
}

function hasObject(core: RevisionModel, method: string, at: readonly string[]): boolean {
  const params = core.methods.find(({ name }) => name === method)?.params?.shape;
  const found = at.reduce(
    (shape, key) => shape && resolveObject(shape, core)?.properties.find(({ name }) => name === key)?.shape,
    params,
  );
  return found !== undefined && resolveObject(found, core) !== undefined;
}
