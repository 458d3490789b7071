import { conversionRules } from "./rules.ts";
import { compareRevisions, type MethodDifference } from "./compare-revisions.ts";
import type { Change, Difference } from "./difference.ts";
import type { ConversionRule, RevisionModel, RuleName } from "../model.ts";
import { SpecError } from "../internal/spec-error.ts";
import { countText } from "../internal/text.ts";

/** Conversion of the values of every newer revision to the values of one revision. */
export interface Conversions {
  readonly model: RevisionModel;
  readonly methods: readonly MethodDifference[];
  /** Returns the rule of a change. Every change has one. */
  ruleOf(change: Change): FoundRule;
}

/** Rule with the name under which it was found. */
export interface FoundRule extends ConversionRule {
  readonly name: string;
}

/** Information that a newer revision can express and this one cannot. */
export interface Loss {
  /** Id of the revision that cannot express it. */
  readonly revision: string;
  readonly type: string;
  /** Property or alternative. Absent if the loss concerns the type as a whole. */
  readonly member?: string;
  /** `unavailable` marks a method that does not exist. */
  readonly rule: RuleName | "unavailable";
  /** Id of the oldest newer revision that can express it. */
  readonly since: string;
  readonly reason: string;
}

/**
 * Finds the rule of every difference between a revision and all newer ones among the models.
 *
 * @throws {SpecError} when a difference has no rule, a rule has no difference, or a rule cannot handle its change; the message names them.
 */
export function readConversions(models: readonly RevisionModel[], target: RevisionModel): Conversions {
  const compared = compareNewer(models, target);
  const { newer, methods, changes } = compared;
  const rules = new Map(changes.map((change) => [change, findRule(change, [target, ...newer])]));
  rejectUncovered(uncoveredIn(compared, target));
  for (const [change, rule] of rules) rejectUnable(target, change, rule);
  rejectStale(target, changes);
  return {
    model: target,
    methods,
    ruleOf(change) {
      const rule = rules.get(change);
      if (rule) return rule;
      throw new Error(`${changeText(change)} has no rule; this is a bug in generator/conversions.`);
    },
  };
}

/** Difference that no rule covers yet. */
export interface Uncovered {
  /** Newest revision to which it is a difference. The rules of its overlay also apply to older revisions. */
  readonly model: RevisionModel;
  /** Description of the difference, with the rules that could handle it. */
  readonly text: string;
}

/** Finds the differences to newer revisions that neither the revision's overlay nor any overlay in between covers. */
export function findUncovered(models: readonly RevisionModel[], target: RevisionModel): Uncovered[] {
  return uncoveredIn(compareNewer(models, target), target);
}

function uncoveredIn({ newer, changes }: Newer, target: RevisionModel): Uncovered[] {
  const between = [target, ...newer];
  const uncovered = changes.filter((change) => findRule(change, between) === undefined);
  const ofModel = new Map<RevisionModel, ReadonlySet<string>>();
  // A revision in between may lack the whole type: its overlay would reject a rule for a member of it as stale.
  const differs = (model: RevisionModel, [name = ""]: readonly string[]): boolean => {
    const known = ofModel.get(model) ?? new Set(compareNewer(between, model).changes.flatMap(({ names }) => names));
    ofModel.set(model, known);
    return known.has(name);
  };
  const found = uncovered.map((change): Uncovered => {
    const model = between.findLast((each) => each.id < change.since && differs(each, change.names)) ?? target;
    return { model, text: `${changeText(change)}: ${rulesFor(change).join(", ")}` };
  });
  return [...new Map(found.map((each) => [each.text, each])).values()];
}

/** Returns everything that can be lost on the way from the newer revisions to one, as data. `explain` prints it. */
export function readLosses(models: readonly RevisionModel[], target: RevisionModel): Loss[] {
  const { methods, ruleOf } = readConversions(models, target);
  const changes = methods.flatMap(({ params, result }) => [...changesIn(params), ...changesIn(result)]);
  const losses = changes.flatMap((change): Loss[] => {
    const { rule, reason } = ruleOf(change);
    if (conversionRules[rule].lossless) return [];
    const { type, member, since } = change;
    return [{ revision: target.id, type, ...(member !== undefined && { member }), rule, since, reason }];
  });
  const unique = new Map(losses.map((loss) => [JSON.stringify([loss.type, loss.member]), loss]));
  return [...unique.values(), ...unavailableMethods(models, target)];
}

/** Returns every change inside a difference, once for every place where it occurs. A type that contains itself occurs there once. */
export function changesIn(difference: Difference | undefined): Change[] {
  switch (difference?.kind) {
    case undefined:
    case "recursive":
      return [];
    case "shape":
      return [difference.change, ...changesIn(difference.inner)];
    case "array":
      return changesIn(difference.items);
    case "union":
      return difference.options.flatMap((option) => [
        ...(option.change ? [option.change] : []),
        ...changesIn(option.difference),
      ]);
    case "object":
      return [
        ...difference.changes,
        ...difference.members.flatMap((member) => changesIn(member.difference)),
        ...changesIn(difference.index),
      ];
  }
}

interface Newer {
  /** Newer revisions among the models, oldest first. */
  readonly newer: readonly RevisionModel[];
  readonly methods: readonly MethodDifference[];
  readonly changes: readonly Change[];
}

function compareNewer(models: readonly RevisionModel[], target: RevisionModel): Newer {
  const newer = models.filter(({ id }) => id > target.id).sort((a, b) => (a.id < b.id ? -1 : 1));
  const methods = compareRevisions(target, newer);
  return {
    newer,
    methods,
    changes: methods.flatMap(({ params, result }) => [...changesIn(params), ...changesIn(result)]),
  };
}

/** The overlay of the revision itself comes first, then that of the next newer one. Within each, the most specific name wins. */
function findRule({ names }: Change, models: readonly RevisionModel[]): FoundRule | undefined {
  for (const { conversions = [] } of models) {
    for (const name of names) {
      const found = conversions.find(({ at }) => at.includes(name));
      if (found) return { ...found, name };
    }
  }
  return undefined;
}

/** Reports one overlay at a time: when a revision in the middle gains a rule, older revisions may need none of their own. */
function rejectUncovered(all: readonly Uncovered[]): void {
  const [first] = all;
  if (!first) return;
  const texts = all.filter(({ model }) => model === first.model).map(({ text }) => text);
  const text = [
    `${countText(texts.length, "difference")} to newer revisions without a rule; add a rule for each to conversions`,
    ...texts.slice(0, shown).map((line) => `  ${line}`),
    ...(texts.length > shown ? [`  and ${texts.length - shown} more`] : []),
  ].join("\n");
  throw new SpecError({ file: overlayPath(first.model), text });
}

const shown = 10;

function rejectUnable(target: RevisionModel, change: Change, found: ConversionRule | undefined): void {
  if (!found || conversionRules[found.rule].covers.includes(change.kind)) return;
  throw new SpecError({
    file: overlayPath(target),
    text: `the rule ${found.rule} does not apply to ${changeText(change)}; use one of ${rulesFor(change).join(", ")}`,
  });
}

/** Returns the names of the rules that can handle such a change. */
function rulesFor({ kind }: Change): string[] {
  return Object.entries(conversionRules).flatMap(([name, { covers }]) => (covers.includes(kind) ? [name] : []));
}

function rejectStale(target: RevisionModel, changes: readonly Change[]): void {
  const names = new Set(changes.flatMap((change) => change.names));
  for (const { rule, at } of target.conversions ?? []) {
    const stale = at.find((name) => !names.has(name));
    if (stale === undefined) continue;
    throw new SpecError({
      file: overlayPath(target),
      text: `conversions has the rule ${rule} for \`${stale}\`, which does not differ in any newer revision; remove it`,
    });
  }
}

function changeText({ kind, names, type, member, since }: Change): string {
  const place = member === undefined ? type : `${type}.${member}`;
  const others = names.filter((name) => name !== place);
  const called = others.length === 0 ? "" : ` (also called ${others.join(", ")})`;
  switch (kind) {
    case "member":
      return `the property ${place} since ${since}${called}`;
    case "missing":
      return `the property ${place}, no longer required since ${since}${called}`;
    case "open":
      return `further keys of ${type} since ${since}${called}`;
    case "option":
      return `the alternative ${member ?? ""} of ${type} since ${since}${called}`;
    case "shape":
      return `the wider values of ${type} since ${since}${called}`;
  }
}

/** Path of the overlay of a revision, relative to the same root as the path of its schema. */
export function overlayPath({ source }: RevisionModel): string {
  return source.path.replace(/[^/]*$/, "overlay.json");
}

function unavailableMethods(models: readonly RevisionModel[], target: RevisionModel): Loss[] {
  const known = new Set(target.methods.map(({ name }) => name));
  const newer = models.filter(({ id }) => id > target.id).sort((a, b) => (a.id < b.id ? -1 : 1));
  const first = new Map<string, Loss>();
  for (const { id: since, methods } of newer) {
    for (const { name: type } of methods.filter(({ name }) => !known.has(name) && !first.has(name)))
      first.set(type, { revision: target.id, type, rule: "unavailable", since, reason: `${type} does not exist.` });
  }
  return [...first.values()];
}
