import { changesIn, type Conversions, type FoundRule } from "../../generator/conversions/conversions.ts";
import type { Change } from "../../generator/conversions/difference.ts";
import type { RuleName } from "../../generator/model.ts";
import { code, prose, table } from "./markdown.ts";
import { spanText, type Version } from "./versions.ts";

/** Returns a table of everything converted in a method for peers of older revisions. `all` lists the revisions, oldest first. */
export function conversionTable(method: string, conversions: readonly Conversions[], all: readonly Version[]): string {
  const rows = new Map<string, { readonly cells: readonly string[]; readonly versions: Set<Version> }>();
  for (const { part, change, rule, version } of readConverted(method, conversions)) {
    const cells = [placeText(change), part, change.since, `${effectOf(rule)} ${prose(rule.reason)}`];
    const key = JSON.stringify(cells);
    const row = rows.get(key) ?? { cells, versions: new Set() };
    rows.set(key, { ...row, versions: row.versions.add(version) });
  }
  return table(
    ["what", "in", "since", "converted for", "how"],
    [...rows.values()].map(({ cells: [what = "", part = "", since = "", how = ""], versions }) => [
      what,
      part,
      since,
      spanText(
        all.filter((version) => versions.has(version)),
        all,
      ),
      how,
    ]),
  );
}

/** Returns the effect of a rule as a sentence. It says if something is lost. */
export function effectOf({ rule, value, isLossless = false }: Effect): string {
  const known = effects[rule];
  if (known !== undefined) return known;
  const how = value === undefined ? rule : `${rule} ${JSON.stringify(value)}`;
  return `Converted (${code(how)})${isLossless ? ", without a loss." : ", with a loss."}`;
}

/** Rule of a change, or of a missing method. */
interface Effect {
  readonly rule: RuleName | "unavailable";
  readonly value?: unknown;
  readonly isLossless?: boolean;
}

const effects: { readonly [rule: string]: string | undefined } = {
  keep: "Kept.",
  omit: "Omitted, without a loss.",
  drop: "Omitted: **lost**.",
  error: "**Cannot be sent.**",
  unavailable: "**Not available.**",
};

interface Converted {
  readonly part: "parameters" | "result";
  readonly change: Change;
  readonly rule: FoundRule;
  readonly version: Version;
}

/** Lists the changes for the newest revisions first, as readers look for these. */
function readConverted(method: string, conversions: readonly Conversions[]): Converted[] {
  return [...conversions].reverse().flatMap(({ model, methods, ruleOf }) => {
    const found = methods.find((each) => each.method.name === method);
    const toConverted = (part: Converted["part"]): ((change: Change) => Converted) => {
      return (change) => ({ part, change, rule: ruleOf(change), version: model });
    };
    return [
      ...changesIn(found?.params).map(toConverted("parameters")),
      ...changesIn(found?.result).map(toConverted("result")),
    ];
  });
}

function placeText({ kind, type, member = "" }: Change): string {
  switch (kind) {
    case "member":
      return code(`${type}.${member}`);
    case "missing":
      return `${code(`${type}.${member}`)}, if absent`;
    case "open":
      return `further keys of ${code(type)}`;
    case "option":
      return `${code(member)} as ${code(type)}`;
    case "shape":
      return `other values of ${code(type)}`;
  }
}
