import { conversionRules } from "./rules.ts";
import { compareRevisions, type MethodDifference } from "./compare-revisions.ts";
import type { Change, Difference } from "./difference.ts";
import type { ConversionRule, RevisionModel, RuleName } from "../model.ts";
import { SpecError } from "../read/spec-error.ts";
import { countText } from "../count-text.ts";

/** How values of every newer revision become values of one revision. */
export interface Conversions {
  readonly model: RevisionModel;
  readonly methods: readonly MethodDifference[];
  /** The rule of a change; every change has one. */
  ruleOf(change: Change): FoundRule;
}

/** A rule, and the name by which it was found. */
export interface FoundRule extends ConversionRule {
  readonly name: string;
}

/** Something that a newer revision can say and this one cannot. */
export interface Loss {
  /** The revision that cannot say it. */
  readonly revision: string;
  readonly type: string;
  /** Property or alternative; absent where the type as a whole is meant. */
  readonly member?: string;
  /** `unavailable`: a method that does not exist. */
  readonly rule: RuleName | "unavailable";
  /** The oldest newer revision that can say it. */
  readonly since: string;
  readonly reason: string;
}

/**
 * Finds the rule of every difference between a revision and all newer ones among the models. Throws a {@link SpecError} that
 * names differences without a rule, rules without a difference, and rules that cannot do what they are for.
 */
export function readConversions(models: readonly RevisionModel[], target: RevisionModel): Conversions {
  const compared = compareNewer(models, target);
  const { newer, methods, changes } = compared;
  const rules = new Map(changes.map((change) => [change, findRule(change, [target, ...newer])]));
  refuseUncovered(uncoveredIn(compared, target));
  for (const [change, rule] of rules) refuseUnable(target, change, rule);
  refuseStale(target, changes);
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

/** A difference that nobody has decided about yet. */
export interface Uncovered {
  /** The last revision that lacks it: what its overlay says holds for older ones as well. */
  readonly model: RevisionModel;
  /** What it is, and which rules could deal with it. */
  readonly text: string;
}

/** What newer revisions have and neither a revision nor any between them says anything about. */
export function findUncovered(models: readonly RevisionModel[], target: RevisionModel): Uncovered[] {
  return uncoveredIn(compareNewer(models, target), target);
}

function uncoveredIn({ newer, changes }: Newer, target: RevisionModel): Uncovered[] {
  const between = [target, ...newer];
  const uncovered = changes.filter((change) => findRule(change, between) === undefined);
  const found = uncovered.map((change): Uncovered => {
    const model = between.findLast(({ id }) => id < change.since) ?? target;
    return { model, text: `${changeText(change)}: ${rulesFor(change).join(", ")}` };
  });
  return [...new Map(found.map((each) => [each.text, each])).values()];
}

/** Everything that can be lost on the way from the newer revisions to one, as data: what `explain` shows. */
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

/** Every change inside of a difference, each once for every place that it is found at. */
export function changesIn(difference: Difference | undefined): Change[] {
  switch (difference?.kind) {
    case undefined:
      return [];
    case "shape":
      return [difference.change];
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
  /** The newer ones among the models, the oldest first. */
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

/** The overlay of the revision itself comes first, then that of the next newer one; in each, the most specific name. */
function findRule({ names }: Change, models: readonly RevisionModel[]): FoundRule | undefined {
  for (const { conversions = [] } of models) {
    for (const name of names) {
      const found = conversions.find(({ at }) => at.includes(name));
      if (found) return { ...found, name };
    }
  }
  return undefined;
}

/** One overlay at a time: where a revision in the middle lacks a rule, those before it need none of their own. */
function refuseUncovered(all: readonly Uncovered[]): void {
  const [first] = all;
  if (!first) return;
  const texts = all.filter(({ model }) => model === first.model).map(({ text }) => text);
  const text = [
    `${countText(texts.length, "thing")} of newer revisions without a rule; say in conversions what happens to each`,
    ...texts.slice(0, shown).map((line) => `  ${line}`),
    ...(texts.length > shown ? [`  and ${texts.length - shown} more`] : []),
  ].join("\n");
  throw new SpecError({ file: overlayPath(first.model), text });
}

const shown = 10;

function refuseUnable(target: RevisionModel, change: Change, found: ConversionRule | undefined): void {
  if (!found || conversionRules[found.rule].covers.includes(change.kind)) return;
  throw new SpecError({
    file: overlayPath(target),
    text: `the rule ${found.rule} cannot deal with ${changeText(change)}; take one of ${rulesFor(change).join(", ")}`,
  });
}

/** Names of the rules that can deal with such a change. */
function rulesFor({ kind }: Change): string[] {
  return Object.entries(conversionRules).flatMap(([name, { covers }]) => (covers.includes(kind) ? [name] : []));
}

function refuseStale(target: RevisionModel, changes: readonly Change[]): void {
  const names = new Set(changes.flatMap((change) => change.names));
  for (const { rule, at } of target.conversions ?? []) {
    const stale = at.find((name) => !names.has(name));
    if (stale === undefined) continue;
    throw new SpecError({
      file: overlayPath(target),
      text: `conversions has the rule ${rule} for \`${stale}\`, which is no difference to any newer revision; take it out`,
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
      return `the property ${place}, required here and not since ${since}${called}`;
    case "open":
      return `further keys of ${type} since ${since}${called}`;
    case "option":
      return `the alternative ${member ?? ""} of ${type} since ${since}${called}`;
    case "shape":
      return `the wider values of ${type} since ${since}${called}`;
  }
}

/** Where the overlay of a revision is, as its spec folder names it. */
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
