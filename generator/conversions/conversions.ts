import { changesIn } from "./changes-in.ts";
import { compareRevisions, type MethodDifference } from "./compare-revisions.ts";
import type { Change, UnionDifference } from "./difference.ts";
import { findRule, kept, overlayPath, type Conversions, type FoundRule } from "./found-rule.ts";
import { findOlderValues, unionsOf } from "./new-values.ts";
import { checkDefault, readReceived, type ReceivedConversions } from "./received.ts";
import { conversionRules, ruleNames } from "./rules.ts";
import type { ConversionRule, LiteralShape, RevisionModel, RuleName } from "../model.ts";
import { SpecError } from "../internal/spec-error.ts";
import { countText } from "../internal/text.ts";

export { changesIn } from "./changes-in.ts";
export { overlayPath, type Conversions, type FoundRule } from "./found-rule.ts";

/** Conversions of one revision: of the values of every newer revision to its values, and of what its peers send. */
export interface RevisionConversions extends Conversions {
  /** Conversions to each newer revision, oldest first. Empty if no rule is about what peers send. */
  readonly received: readonly ReceivedConversions[];
}

/** Information a newer revision can express and this one cannot. */
export interface Loss {
  /** Id of the revision that cannot express it. */
  readonly revision: string;
  readonly type: string;
  /** Property or alternative. Absent if the loss concerns the type as a whole. */
  readonly member?: string;
  /** `unavailable` marks a missing method. */
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
export function readConversions(models: readonly RevisionModel[], target: RevisionModel): RevisionConversions {
  const compared = compareNewer(models, target);
  const { newer, methods, changes } = compared;
  const found = new Map(changes.map((change) => [change, findSentRule(change, [target, ...newer])]));
  rejectUncovered(uncoveredIn(compared, target));
  for (const [change, rule] of found) {
    rejectUnable(target, change, rule);
    if (rule) checkDefault(change, rule, { model: target, target });
  }
  const rules = new Map([...found].flatMap(([change, rule]) => (rule ? [[change, toFound(rule)]] : [])));
  for (const [change, rule] of readOlderValues(methods, rules, target)) rules.set(change, rule);
  const received = readReceived(newer, target);
  rejectStale(target, changes, received);
  return {
    model: target,
    methods,
    received,
    ruleOf(change) {
      const rule = rules.get(change);
      if (rule) return rule;
      throw new Error(`${changeText(change)} has no rule; this is a bug in generator/conversions.`);
    },
  };
}

function toFound(rule: ConversionRule & { readonly name: string }): FoundRule {
  return { ...rule, isLossless: conversionRules[rule.rule].lossless ?? false };
}

/** Returns the rules of new values, renamed or not, with the older value each becomes: a rule may name another new value. */
function readOlderValues(
  methods: readonly MethodDifference[],
  rules: ReadonlyMap<Change, FoundRule>,
  target: RevisionModel,
): readonly (readonly [Change, FoundRule])[] {
  return unionsOf(methods).flatMap((union) =>
    [...findOlderValues(union, (change) => rules.get(change))].flatMap(([change, older]) => {
      const rule = rules.get(change);
      if (!rule) return [];
      if (older) return [[change, { ...rule, value: older.value, isLossless: older.isRename }] as const];
      const values = knownValues(union).map((value) => JSON.stringify(value));
      const advice = values.length > 0 ? `use one of ${values.join(", ")}` : "use another rule";
      const text = `${JSON.stringify(rule.value)} is not a value for ${rule.name} at ${target.id}; ${advice}`;
      throw new SpecError({ file: overlayPath(target), text });
    }),
  );
}

/** Difference not yet covered by a rule. */
export interface Uncovered {
  /** Newest revision to which it is a difference. The rules of its overlay also apply to older revisions. */
  readonly model: RevisionModel;
  readonly change: Change;
  /** The revision's candidates for a new value: values it may replace, or else the first ones. */
  readonly values: readonly (LiteralShape["value"] | null)[];
  /** Description of the difference. */
  readonly text: string;
}

/** Finds the differences to newer revisions covered neither by the revision's overlay nor by any overlay in between. */
export function findUncovered(models: readonly RevisionModel[], target: RevisionModel): Uncovered[] {
  return uncoveredIn(compareNewer(models, target), target);
}

function uncoveredIn({ newer, methods, changes }: Newer, target: RevisionModel): Uncovered[] {
  const between = [target, ...newer];
  const uncovered = changes.filter((change) => findSentRule(change, between) === undefined);
  const ofModel = new Map<RevisionModel, ReadonlySet<string>>();
  // A revision in between may lack the whole type: its overlay would reject a rule for a member of it as stale.
  const differs = (model: RevisionModel, [name = ""]: readonly string[]): boolean => {
    const known = ofModel.get(model) ?? new Set(compareNewer(between, model).changes.flatMap(({ names }) => names));
    ofModel.set(model, known);
    return known.has(name);
  };
  const unions = unionsOf(methods);
  const found = uncovered.map((change): Uncovered => {
    const model = between.findLast((each) => each.id < change.since && differs(each, change.names)) ?? target;
    return { model, change, values: olderValues(change, unions), text: changeText(change) };
  });
  return [...new Map(found.map((each) => [each.text, each])).values()];
}

function olderValues(change: Change, unions: readonly UnionDifference[]): Uncovered["values"] {
  if (change.kind !== "option") return [];
  const union = unions.find(({ options }) => options.some((option) => option.change === change));
  const own = union?.options.find((option) => option.change === change)?.outline.plain;
  if (own?.kind !== "value") return [];
  return change.replaces ?? knownValues(union).slice(0, mostValues);
}

const mostValues = 3;

/** Returns the values of a union known to the revision. */
function knownValues(union: UnionDifference | undefined): Uncovered["values"] {
  return (union?.options ?? []).flatMap(({ outline: { plain }, change }) =>
    !change && plain?.kind === "value" ? [plain.value] : [],
  );
}

/** A rule added to an overlay, to find out whether it is accepted. */
export interface AddedRule {
  readonly model: RevisionModel;
  readonly rule: ConversionRule;
}

/**
 * Creates a function for the conversions of a revision with a further rule, in the methods it concerns. What no rule covers yet is kept.
 *
 * @throws {SpecError} when the rule cannot handle one of its changes
 */
export function createDrafts(
  models: readonly RevisionModel[],
  target: RevisionModel,
): (added: AddedRule) => Conversions {
  const { newer, methods, changes } = compareNewer(models, target);
  return ({ model, rule }) => {
    const overlays = [target, ...newer].map((one) =>
      one === model ? { ...one, conversions: [rule, ...(one.conversions ?? [])] } : one,
    );
    const found = changes.map((change) => [change, findSentRule(change, overlays)] as const);
    const concerned = new Set(found.flatMap(([change, one]) => (one?.at === rule.at ? [change] : [])));
    for (const [change, one] of found) {
      if (!concerned.has(change)) continue;
      rejectUnable(target, change, one);
      if (one) checkDefault(change, one, { model: target, target });
    }
    const rules = new Map(found.flatMap(([change, one]) => (one ? [[change, toFound(one)]] : [])));
    const isConcerned = ({ params, result }: MethodDifference): boolean =>
      [...changesIn(params), ...changesIn(result)].some((change) => concerned.has(change));
    const drafted = methods.filter(isConcerned);
    for (const [change, one] of readOlderValues(drafted, rules, target)) rules.set(change, one);
    return { model: target, methods: drafted, ruleOf: (change) => rules.get(change) ?? kept };
  };
}

/** Returns all possible losses on the way from the newer revisions to one, as data. `explain` prints it. */
export function readLosses(models: readonly RevisionModel[], target: RevisionModel): Loss[] {
  const { methods, ruleOf } = readConversions(models, target);
  const changes = methods.flatMap(({ params, result }) => [...changesIn(params), ...changesIn(result)]);
  return [...lossesOf(changes, { model: target, ruleOf }), ...unavailableMethods(models, target)];
}

/** Returns the losses of changes, one of each member. */
export function lossesOf(changes: readonly Change[], { model, ruleOf }: Pick<Conversions, "model" | "ruleOf">): Loss[] {
  const losses = changes.flatMap((change): Loss[] => {
    const { rule, reason, isLossless } = ruleOf(change);
    if (isLossless) return [];
    const { type, member, since } = change;
    return [{ revision: model.id, type, ...(member !== undefined && { member }), rule, since, reason }];
  });
  return [...new Map(losses.map((loss) => [JSON.stringify([loss.type, loss.member]), loss])).values()];
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

/** A member may have a rule for each direction: what older peers get in its place, and what they are assumed to send. */
function findSentRule({ kind, names }: Change, models: readonly RevisionModel[]): ReturnType<typeof findRule> {
  return findRule(names, models, ({ rule }) => rule !== "default" || kind === "missing");
}

/** Reports one overlay at a time: when a revision in the middle gains a rule, older revisions may need none of their own. */
function rejectUncovered(all: readonly Uncovered[]): void {
  const [first] = all;
  if (!first) return;
  const texts = all
    .filter(({ model }) => model === first.model)
    .map(({ text, change }) => `${text}: ${rulesFor(change).join(", ")}`);
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

/** Returns the names of the rules for such a change. */
export function rulesFor({ kind, type, member: changed }: Change): RuleName[] {
  const place = changed ?? type.slice(type.lastIndexOf(".") + 1);
  return ruleNames.filter((name) => {
    const { covers, member = place } = conversionRules[name];
    return covers.includes(kind) && member === place;
  });
}

function rejectStale(
  target: RevisionModel,
  changes: readonly Change[],
  received: readonly ReceivedConversions[],
): void {
  const names = new Set(changes.flatMap((change) => change.names));
  const missing = changes.filter(({ kind }) => kind === "missing");
  const required = new Set([
    ...missing.flatMap((change) => change.names),
    ...received.flatMap((each) => each.required),
  ]);
  for (const { rule, at } of target.conversions ?? []) {
    const stale = at.find((name) => !(rule === "default" ? required : names).has(name));
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
