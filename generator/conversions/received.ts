import { changesIn } from "./changes-in.ts";
import { compareRevisions, type MethodDifference } from "./compare-revisions.ts";
import type { Change } from "./difference.ts";
import { findRule, kept, overlayPath, type Conversions, type FoundRule } from "./found-rule.ts";
import { fitsShape } from "./fits-shape.ts";
import { memberNames } from "./names.ts";
import { SpecError } from "../internal/spec-error.ts";
import type { LiteralShape, RevisionModel } from "../model.ts";

/** Conversions of what peers of an older revision send to the values of a newer one. */
export interface ReceivedConversions extends Conversions {
  /** The newer revision, with the methods and types it removed. */
  readonly to: RevisionModel;
  /** Names of its required members that peers may omit. */
  readonly required: readonly string[];
}

/**
 * Returns the conversions of what peers of a revision send to each of the newer ones, oldest first; none if no rule is about it. Values without
 * such a rule stay.
 *
 * @throws {SpecError} when a default is no value of its member
 */
export function readReceived(newer: readonly RevisionModel[], target: RevisionModel): readonly ReceivedConversions[] {
  const isAboutReceived = ({ conversions = [] }: RevisionModel): boolean =>
    conversions.some(({ rule }) => rule === "as" || rule === "default");
  if (![target, ...newer].some(isAboutReceived)) return [];
  return newer.map((model, at) => {
    const received = readReceivedBy(model, target, newer.slice(0, at));
    for (const { params, result } of received.methods)
      for (const change of [...changesIn(params), ...changesIn(result)])
        checkDefault(change, received.ruleOf(change), { model: received.to, target });
    return received;
  });
}

/** Returns the conversions of what peers of a revision send to a newer one. `between` are the revisions between the two, oldest first. */
export function readReceivedBy(
  model: RevisionModel,
  target: RevisionModel,
  between: readonly RevisionModel[],
): ReceivedConversions {
  const whole = withRemoved(model, target);
  const overlays = [target, ...between];
  const methods = compareRevisions(whole, [target]).flatMap(({ method, ...parts }): MethodDifference[] => {
    const own = target.methods.find(({ name }) => name === method.name);
    return own ? [{ ...parts, method: own }] : [];
  });
  const changes = methods.flatMap(({ params, result }) => [...changesIn(params), ...changesIn(result)]);
  const rules = new Map(changes.map((change) => [change, findReceivedRule(change, whole, overlays)]));
  const missing = changes.filter(({ kind }) => kind === "missing");
  return {
    model: target,
    to: whole,
    methods,
    required: missing.flatMap((change) => requiredNames(change, whole)),
    ruleOf: (change) => rules.get(change) ?? kept,
  };
}

/** Returns the names under which a rule may refer to a member required in a newer revision. */
function requiredNames({ names, type, member = "" }: Change, model: RevisionModel): readonly string[] {
  const own = memberNames({ model, shape: { kind: "unknown" }, names: [type] }, member);
  return [...new Set([...names, ...own])];
}

/** Values of removed methods and types may contain values of existing ones, so they are compared as well. */
function withRemoved(model: RevisionModel, older: RevisionModel): RevisionModel {
  const types = new Set(model.declarations.map(({ name }) => name));
  const methods = new Set(model.methods.map(({ name }) => name));
  return {
    ...model,
    declarations: [...model.declarations, ...older.declarations.filter(({ name }) => !types.has(name))],
    methods: [...model.methods, ...older.methods.filter(({ name }) => !methods.has(name))],
  };
}

function findReceivedRule(change: Change, model: RevisionModel, overlays: readonly RevisionModel[]): FoundRule {
  if (change.kind === "missing") {
    const found = findRule(requiredNames(change, model), overlays, ({ rule }) => rule === "default");
    return found ? { ...found, isLossless: true } : kept;
  }
  const value = change.replaces?.find((candidate) => becomes(candidate, change, overlays, []));
  return value === undefined ? kept : { ...kept, rule: "as", value };
}

/** True if a new value becomes the older one of a change by the rule `as`, through others if necessary. */
function becomes(
  value: LiteralShape["value"],
  change: Change,
  overlays: readonly RevisionModel[],
  passed: readonly unknown[],
): boolean {
  if (passed.includes(value)) return false;
  const unions = [change.type, ...change.names.filter((name) => !name.endsWith(`:${change.member ?? ""}`))];
  const names = [...unions.map((union) => `${union}:${value}`), ...unions];
  const found = findRule(names, overlays, ({ rule }) => rule !== "default");
  if (found?.rule !== "as" || !isLiteral(found.value)) return false;
  return String(found.value) === change.member || becomes(found.value, change, overlays, [...passed, value]);
}

function isLiteral(value: unknown): value is LiteralShape["value"] {
  return ["string", "number", "boolean"].includes(typeof value);
}

/**
 * Checks that the value of the rule `default` is valid for the member.
 *
 * @throws {SpecError} when it is not
 */
export function checkDefault(
  { type, member = "", shape }: Change,
  { rule, value }: Pick<FoundRule, "rule" | "value">,
  { model, target }: { readonly model: RevisionModel; readonly target: RevisionModel },
): void {
  if (rule !== "default" || !shape || fitsShape(value, shape, model)) return;
  throw new SpecError({
    file: overlayPath(target),
    text: `the default ${JSON.stringify(value)} is not valid for ${type}.${member}; use one of its values`,
  });
}
