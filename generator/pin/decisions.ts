import { changesIn, overlayPath } from "../conversions/conversions.ts";
import { readReceivedBy } from "../conversions/received.ts";
import type { Change } from "../conversions/difference.ts";
import { sampleOf } from "./sample-value.ts";
import type { Declaration, Gate, Method, RevisionModel, Shape } from "../model.ts";
import type { Overlay } from "../model/overlay.ts";
import { applyOverlay } from "../read/apply-overlay.ts";
import { examineMethods } from "../read/methods.ts";
import type { Schema } from "../read/schema.ts";
import { withTags } from "../read/tags.ts";
import { findGoneNames } from "../model/gone-names.ts";
import { readNames, usedNames, type Named } from "../model/names.ts";
import { declarationsByName, resolveObject } from "../model/resolve.ts";
import { mapDeclaration, referencesIn } from "../model/shapes.ts";

/** Decisions to make before a new overlay is correct. */
export interface Decisions {
  /** Points without which the generator fails. */
  readonly open: readonly string[];
  /** Derived or adopted points to confirm. */
  readonly confirm: readonly string[];
}

/** Schema and overlay to examine. */
export interface DecisionsInput {
  /** Identifier of the new revision. */
  readonly revision: string;
  readonly schema: Schema;
  readonly overlay: { readonly path: string; readonly value: Overlay };
  /** The nearest revision. Its entries need no new check. */
  readonly base: RevisionModel;
}

/**
 * Lists the points settled neither by the schema nor by a proposed overlay, or settled only by assumption. `isReadable` is true if the revision can
 * be read before the decisions: only names used in code are open.
 */
export function findDecisions(input: DecisionsInput): Decisions & { readonly isReadable: boolean } {
  const { schema, overlay, base } = input;
  const { path, value } = overlay;
  const declarations = applyOverlay(withTags(schema.declarations), value, path);
  const { methods, decisions } = examineMethods(declarations, value, path);
  const open = decisions.map(({ message }) => message.replace(`${path}: `, ""));
  const { errors, headers = [], reservedMeta = [], removed = [] } = value;
  const lost = findLostNames(
    { id: input.revision, declarations, methods, rules: { errors, headers, reservedMeta } },
    { base, removed: removed.flatMap(({ names }) => names) },
  );
  const known = new Set(base.methods.map(({ name }) => name));
  const isOpen = ({ name }: Method): boolean => open.some((decision) => decision.includes(methodKey(name)));
  const added = methods.filter((method) => !known.has(method.name) && !isOpen(method));
  return {
    isReadable: open.length === 0,
    open: [...open, ...lost],
    confirm: [
      ...(value.lifecycle.kind === base.rules.lifecycle
        ? []
        : [`lifecycle: ${value.lifecycle.kind}, unlike ${base.id}`]),
      ...added.map(describeMethod),
      ...methods.filter((method) => hasNoMeta(method, declarations)).map(describeMeta),
      ...newUntagged(declarations, base),
      ...newErrors(schema, value),
      ...newResultTypes(declarations, value),
    ],
  };
}

/**
 * Lists what the nearest revision may send, the new one does not accept, and no rule converts: a handler of the new revision gets it as it is. A
 * default for a member is proposed if there is a simple one.
 */
export function findNarrower(model: RevisionModel, base: RevisionModel): string[] {
  const { methods, ruleOf } = readReceivedBy(model, base, []);
  const changes = methods.flatMap(({ params, result }) => [...changesIn(params), ...changesIn(result)]);
  const lines = changes.flatMap((change): string[] => {
    const { kind, type, member } = change;
    if (kind === "member" || kind === "open" || ruleOf(change).rule !== "keep") return [];
    if (isTolerated(model, type, member)) return [];
    const place = kind === "option" || member === undefined ? type : `${type}.${member}`;
    if (kind === "missing")
      return [`required: peers of ${base.id} may omit ${place}${defaultText(change, model, base)}`];
    return [`values: ${base.id} allows ${kind === "option" && member !== undefined ? member : "others"} at ${place}`];
  });
  return [...new Set(lines)];
}

/** Returns the entry to fill in a member, if there is a simple value for it. */
function defaultText({ type, member, shape }: Change, model: RevisionModel, base: RevisionModel): string {
  const value = shape && sampleOf(shape, model);
  if (value === undefined) return "";
  const entry = { rule: "default", value, at: [`${type}.${member}`], reason: "Older peers do not send it." };
  return `; to fill it in, add to conversions of ${overlayPath(base)}: ${JSON.stringify(entry)}`;
}

/** True if the checks assume a value when a peer omits the member. */
function isTolerated(model: RevisionModel, type: string, member: string | undefined): boolean {
  if (!declarationsByName(model).has(type)) return false;
  const object = resolveObject({ kind: "reference", name: type }, model);
  return object?.properties.some(({ name, absentMeans }) => name === member && absentMeans !== undefined) ?? false;
}

function describeMethod({ name, kind, senders, gates }: Method): string {
  const needs = senders.map((sender) => `the ${sender} requires ${gateText(gates[sender])}`).join(", ");
  return `${methodKey(name)}: new ${kind}; ${needs}`;
}

function methodKey(name: string): string {
  return `methods["${name}"]`;
}

function gateText(gate: Gate | undefined): string {
  return gate ? `${gate.side} capability ${gate.path.join(".")}` : "no capability";
}

/** True if params have no `_meta`. Requests and notifications inherit it from their base; newly written params may omit it. */
function hasNoMeta({ params, kind }: Method, declarations: readonly Declaration[]): boolean {
  if (kind === "embedded" || !params) return false;
  const object = resolveObject(params.shape, { declarations });
  return object !== undefined && !object.index && !object.properties.some(({ name }) => name === "_meta");
}

function describeMeta({ name }: Method): string {
  return `mergeMeta: the params of ${name} are declared without _meta`;
}

/** Finds unions of named objects without a tag. Their members are tried one after the other. */
function newUntagged(declarations: readonly Declaration[], base: RevisionModel): string[] {
  const known = new Set(untaggedUnions(base.declarations));
  const added = untaggedUnions(declarations).filter((members) => !known.has(members));
  return [...new Set(added)].map((members) => `tags: no property distinguishes ${members}`);
}

function untaggedUnions(declarations: readonly Declaration[]): string[] {
  const model = { declarations };
  const isObject = (shape: Shape): boolean => shape.kind === "reference" && resolveObject(shape, model) !== undefined;
  const found: string[] = [];
  const note = (shape: Shape): Shape => {
    if (shape.kind === "union" && !shape.tag && shape.of.every(isObject)) found.push(referencesIn(shape).join(" | "));
    return shape;
  };
  // The method of the request determines the check of a result, never these unions.
  const roles = ["ServerResult", "ClientResult"];
  for (const declaration of declarations) if (!roles.includes(declaration.name)) mapDeclaration(declaration, note);
  return found;
}

function newErrors({ constants }: Schema, { errors }: Overlay): string[] {
  const known = new Set(errors.map(({ constant }) => constant));
  // The range that JSON-RPC reserves for error codes.
  const isCode = (value: string | number): boolean => typeof value === "number" && value >= -32768 && value <= -32000;
  const added = constants.filter(({ name, value }) => isCode(value) && !known.has(name));
  return added.map(({ name, value }) => `errors: the constant ${name} (${value}) has no entry`);
}

function newResultTypes(declarations: readonly Declaration[], { resultTypes }: Overlay): string[] {
  if (resultTypes || !declarationsByName({ declarations }).has("Result")) return [];
  const result = resolveObject({ kind: "reference", name: "Result" }, { declarations });
  const hasType = result?.properties.some(({ name }) => name === "resultType");
  return hasType ? ["resultTypes: results carry resultType, but its values are not defined"] : [];
}

/** Finds the names used in code but gone, with the entry to say so. Names under `removed` of the overlay are decided. */
export function findLostNames(
  revision: Named & Pick<RevisionModel, "id">,
  { base, removed }: { readonly base: RevisionModel; readonly removed: readonly string[] },
): string[] {
  // A revision older than the nearest one does not lose what came later.
  if (base.id > revision.id) return [];
  const { lost } = findGoneNames(usedNames(readNames()), { before: base, after: revision, removed });
  if (lost.length === 0) return [];
  const entry = { clause: "https://...", names: lost };
  return [
    `names: code uses ${lost.join(", ")} of ${base.id}; if they are gone, add removed: [${JSON.stringify(entry)}]`,
  ];
}
