import { join } from "node:path";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { changesIn, findUncovered, readConversions, readLosses } from "../../../generator/conversions/conversions.ts";
import { conversionRules, ruleFunction } from "../../../generator/conversions/rules.ts";
import { compareRevisions } from "../../../generator/conversions/compare-revisions.ts";
import type { ConversionRule, RevisionModel } from "../../../generator/model.ts";
import { SpecError } from "../../../generator/internal/spec-error.ts";
import { openSpecFolder } from "../../../generator/read/spec-folder.ts";
import * as support from "../../../templates/convert-support.ts";
import { readToy } from "./toy-revisions.ts";

const spec = join(import.meta.dirname, "../../../spec");

let models: readonly RevisionModel[] = [];

beforeAll(async () => {
  const folder = await openSpecFolder(spec);
  models = await Promise.all([...folder.pins.keys()].map((id) => folder.readModel(id)));
});

const older = "export interface Params { a: string }";
const newer =
  "export interface Named { title?: string } export interface Params extends Named { a: string; b?: string }";
const rule = (name: ConversionRule["rule"], ...at: string[]): ConversionRule => ({
  rule: name,
  at,
  reason: "Why not.",
});

describe("readConversions", () => {
  it("`readConversions` rejects an overlay and names every difference without a rule", () => {
    const target = readToy("1", older);
    expect(() => readConversions([target, readToy("2", newer)], target)).toThrow(SpecError);
    expect(() => readConversions([target, readToy("2", newer)], target)).toThrow(
      /^spec\/1\/overlay\.json: 2 differences to newer revisions without a rule.*\n.*Params\.title since 2 \(also called Named\.title\): keep, omit, drop, .*\n.*Params\.b since 2: keep/,
    );
  });

  it("`readConversions` requires one rule for a difference, in the last revision that does not have the member", () => {
    const models = [readToy("1", older), readToy("2", older), readToy("3", newer)] as const;
    for (const target of models.slice(0, 2))
      expect(() => readConversions(models, target)).toThrow(/^spec\/2\/overlay\.json: 2 differences/);
    const decided = [models[0], readToy("2", older, [rule("drop", "Named.title", "Params.b")]), models[2]];
    expect(decided.slice(0, 2).flatMap((target) => findUncovered(decided, target))).toEqual([]);
  });

  it("`findUncovered` names the overlay that accepts the rule, if a revision in between has no such type", () => {
    const part = "export interface Params { part?: Part } export interface Part { a: string }";
    const later = readToy("3", "export interface Params { part?: Part } export interface Part { a?: string }");
    const between = readToy("2", "export interface Params {}", [rule("drop", "Params.part")]);
    const undecided = [readToy("1", part), between, later];
    expect(undecided.flatMap((target) => findUncovered(undecided, target)).map(({ model }) => model.id)).toEqual(["1"]);
    const decided = [readToy("1", part, [rule("error", "Part.a")]), between, later];
    for (const target of decided) expect(() => readConversions(decided, target)).not.toThrow();
  });

  it("`readConversions` rejects a rule for a member that does not differ", () => {
    const target = readToy("1", older, [rule("drop", "Named.title", "Params.b", "Params.c")]);
    expect(() => readConversions([target, readToy("2", newer)], target)).toThrow(
      "spec/1/overlay.json: conversions has the rule drop for `Params.c`, which does not differ in any newer revision; remove it",
    );
  });

  it("`readConversions` rejects a rule that does not apply to the kind of difference", () => {
    const target = readToy("1", older, [rule("audio-to-text", "Named.title", "Params.b")]);
    expect(() => readConversions([target, readToy("2", newer)], target)).toThrow(
      /the rule audio-to-text does not apply to the property Params\.\w+ since 2.*; use one of keep, omit, drop, error/,
    );
  });

  it("`readConversions` prefers rules with the specific name and rules of the older overlay, and inherits the others", () => {
    const middle = readToy("2", older, [rule("drop", "Named.title"), rule("omit", "Params.b")]);
    const target = readToy("1", older, [rule("keep", "Named.title")]);
    const newest = readToy("3", newer);
    const rulesAt = (model: RevisionModel): string[] => {
      const { methods, ruleOf } = readConversions([target, newest, middle], model);
      return methods.flatMap(({ params }) => changesIn(params)).map((change) => ruleOf(change).rule);
    };
    expect(rulesAt(middle)).toEqual(["drop", "omit"]);
    expect(rulesAt(target)).toEqual(["keep", "omit"]);
    expect(rulesAt(newest)).toEqual([]);
  });
});

describe("readLosses", () => {
  it("`readLosses` lists members that a rule drops, and no members that a rule keeps or omits", () => {
    const target = readToy("1", older, [rule("drop", "Named.title"), rule("omit", "Params.b")]);
    expect(readLosses([target, readToy("2", newer)], target)).toEqual([
      { revision: "1", type: "Params", member: "title", rule: "drop", since: "2", reason: "Why not." },
    ]);
  });

  it("`readLosses` lists methods that do not exist at the revision", () => {
    const target = { ...readToy("1", older), methods: [] };
    expect(readLosses([target, readToy("2", older)], target)).toEqual([
      { revision: "1", type: "do/it", rule: "unavailable", since: "2", reason: "do/it does not exist." },
    ]);
  });

  it("`readLosses` returns at least as many losses for an older revision as for a newer one", () => {
    const counts = [...models]
      .sort((a, b) => (a.id < b.id ? 1 : -1))
      .map((model) => readLosses(models, model).filter(({ rule: name }) => name !== "unavailable").length);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(counts[0]).toBe(0);
  });
});

describe("the rules", () => {
  it("the rules are the same in the model, the schema of overlays and the support file", () => {
    const schema: unknown = JSON.parse(readFileSync(join(spec, "overlay.schema.json"), "utf8"));
    expect(schema).toHaveProperty("$defs.conversion.properties.rule.enum", Object.keys(conversionRules));
    for (const [name, { works }] of Object.entries(conversionRules)) {
      if (!works) continue;
      const found = Object.keys(conversionRules).find((key): key is ConversionRule["rule"] => key === name);
      expect(support).toHaveProperty(ruleFunction(found ?? "keep"));
    }
  });
});

/**
 * The other way needs no conversion: whatever an older peer sends has all that the newest shapes require, but for what the list
 * names. `tolerated` members have a value assumed by the checks; the metadata of a request is what the handshake told; and a
 * cancellation that names no request is one of a task, which is nothing to cancel in the newest revision.
 */
describe("values of older revisions read as the newest shapes", () => {
  const tolerated = /\.(resultType|ttlMs|cacheScope)$/;
  const session = /^(\w+\._meta|RequestMetaObject\.io\.modelcontextprotocol\/(protocolVersion|clientCapabilities))$/;

  it("values of older revisions have every member of the newest shapes except tolerated members and request metadata", () => {
    const [newest, ...others] = [...models].sort((a, b) => (a.id < b.id ? 1 : -1));
    if (!newest) throw new Error("There are no models.");
    // Compared in the other direction: what the newest revision requires and older ones may lack.
    const missing = compareRevisions(newest, others)
      .flatMap(({ params, result }) => [...changesIn(params), ...changesIn(result)])
      .filter(({ kind }) => kind === "missing")
      .map(({ type, member }) => `${type}.${member ?? ""}`);
    const unexpected = [...new Set(missing)].filter((name) => !tolerated.test(name) && !session.test(name));
    expect(unexpected).toEqual(["CancelledNotificationParams.requestId"]);
  });
});
