import {
  createDrafts,
  findUncovered,
  overlayPath,
  rulesFor,
  type AddedRule,
  type Uncovered,
} from "../conversions/conversions.ts";
import type { Change, OptionDifference, UnionDifference } from "../conversions/difference.ts";
import type { Conversions } from "../conversions/found-rule.ts";
import { findMisfit } from "../conversions/misfit.ts";
import { unionsOf } from "../conversions/new-values.ts";
import { writeFunctions } from "../emit/written-conversions.ts";
import { SpecError } from "../internal/spec-error.ts";
import type { ConversionRule, RevisionModel, RuleName } from "../model.ts";
import { sampleOf } from "./sample-value.ts";

/** Difference from an older revision without a rule, with the overlay to add one to. */
export interface UndecidedDifference {
  readonly overlay: string;
  readonly text: string;
  /** Entries for `conversions` accepted by the generator; one of them is enough. */
  readonly entries: readonly ConversionRule[];
}

/**
 * Finds the differences without a rule, and the accepted rules for each: every rule is tried. `isReadable` determines whether an overlay of the
 * folder may have an entry.
 */
export function findUndecided(
  models: readonly RevisionModel[],
  isReadable: (entry: ConversionRule) => boolean,
): readonly UndecidedDifference[] {
  const targets = models.map((model): Target => ({ model, draft: createDrafts(models, model) }));
  const found = models.flatMap((target) => findUncovered(models, target));
  const byBase = groupBy(found, ({ change }) => baseNameOf(change));
  return byBase.flatMap((group) => {
    const places = groupBy(group, ({ change }) => nameOf(change));
    const toUndecided = (same: readonly Uncovered[], name?: string): UndecidedDifference | undefined => {
      const [first, ...others] = same;
      if (!first) return undefined;
      const { model, change } = first;
      const at = name ?? nameOf(change);
      const accepted = (rule: ConversionRule): boolean => isReadable(rule) && isAccepted({ model, rule }, targets);
      const entries = candidatesFor(first, at).filter(accepted);
      return { overlay: overlayPath(model), text: textOf(first, others), entries };
    };
    const [first] = group;
    // The members of one base are decided at once, if one rule suits all of them.
    const whole = first && places.length > 1 ? toUndecided(group, baseNameOf(first.change)) : undefined;
    if (whole && whole.entries.length > 0) return [whole];
    return places.flatMap((same) => toUndecided(same) ?? []);
  });
}

function groupBy(found: readonly Uncovered[], keyOf: (each: Uncovered) => string): readonly (readonly Uncovered[])[] {
  const groups = new Map<string, readonly Uncovered[]>();
  for (const each of found) {
    const key = JSON.stringify([each.model.id, keyOf(each)]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
}

/** Places with a name of their own are listed by name only. */
function textOf(first: Uncovered, others: readonly Uncovered[]): string {
  const own = nameOf(first.change);
  const same = others.filter(({ change }) => nameOf(change) === own).map(({ text }) => text);
  const further = others.map(({ change }) => nameOf(change)).filter((name) => name !== own);
  const texts = [...new Set([first.text, ...same])].join("; ");
  return further.length === 0 ? texts : `${texts}; the same at ${[...new Set(further)].join(", ")}`;
}

/** An older revision, and its conversions with a further rule. */
interface Target {
  readonly model: RevisionModel;
  readonly draft: (added: AddedRule) => Conversions;
}

/** A rule also applies to older revisions, which have no rule of their own yet. */
function isAccepted(added: AddedRule, targets: readonly Target[]): boolean {
  return targets.filter(({ model }) => model.id <= added.model.id).every(({ draft }) => isAcceptedBy(draft, added));
}

function isAcceptedBy(draft: Target["draft"], added: AddedRule): boolean {
  try {
    const conversions = draft(added);
    writeFunctions(conversions, { prefix: "to", taken: new Set() });
    const { rule } = added.rule;
    return optionsIn(conversions).every(({ option, union }) => {
      const isConcerned = option.change && conversions.ruleOf(option.change).at === added.rule.at;
      return !isConcerned || findMisfit(rule, option, union) === undefined;
    });
  } catch (error) {
    if (error instanceof SpecError) return false;
    throw error;
  }
}

function candidatesFor({ model, change, values }: Uncovered, name: string): readonly ConversionRule[] {
  const at = [name];
  // An error is what remains if no other rule fits.
  const rules = rulesFor(change).filter((rule) => rule !== "error");
  return [...rules, "error" as const].flatMap((rule): ConversionRule[] => {
    const reason = reasons[rule] ?? "It is converted.";
    if (rule === "as") return values.map((value) => ({ rule, value, at: [...at], reason: asReason(value) }));
    if (rule !== "default") return [{ rule, at: [...at], reason }];
    const value = change.shape && sampleOf(change.shape, model);
    return value === undefined ? [] : [{ rule, value, at, reason }];
  });
}

/** A declared alternative has one rule for every place; other differences are named by their place. */
function nameOf({ kind, names, member = "" }: Change): string {
  const isType = kind === "option" && /^[A-Z]\w*$/.test(member) && names.includes(member);
  return isType ? member : (names[0] ?? member);
}

/** Returns the name of an inherited member at the common base of all types with it: `Base.member` for `Type.member`. */
function baseNameOf(change: Change): string {
  const name = nameOf(change);
  const [, member] = /^[A-Z]\w*(\..+)$/.exec(name) ?? [];
  if (member === undefined) return name;
  const isBase = (other: string): boolean =>
    other.endsWith(member) && /^[A-Z]\w*$/.test(other.slice(0, -member.length));
  return change.names.findLast(isBase) ?? name;
}

function optionsIn({
  methods,
}: Pick<Conversions, "methods">): readonly { readonly option: OptionDifference; readonly union: UnionDifference }[] {
  return unionsOf(methods).flatMap((union) => union.options.map((option) => ({ option, union })));
}

function asReason(value: unknown): string {
  return `It is sent as ${JSON.stringify(value)}.`;
}

/** Reasons of proposed entries. They are true, but whoever adds the entry knows a better one. */
const reasons: { readonly [rule in RuleName]?: string } = {
  keep: "Older peers ignore it.",
  omit: "Older peers do not need it.",
  drop: "Older peers do not get it.",
  error: "Older peers cannot receive it.",
  default: "Older peers do not send it.",
  "content-to-resource": "It is sent as an embedded resource.",
  "content-to-text": "It is sent as a text that tells what it was.",
};
