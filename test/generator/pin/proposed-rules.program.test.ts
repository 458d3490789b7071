import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { emitTree, emitUnformatted } from "../../../generator/generate.ts";
import { writeTree } from "../../../generator/internal/tree.ts";
import { pinRevision, type PinReport } from "../../../generator/pin/pin.ts";
import { createTemporaryFolder } from "../../kit/temporary-folders.ts";
import { compileEmitted, modulePackage } from "../../kit/compile.ts";

/* Not a unit test: it generates a whole spec folder again and again, and compiles what it generates. */

const newest = "2026-07-28";
const next = "2099-01-01";

let folder = "";
let spec = "";
let report: PinReport | undefined;

type Undecided = PinReport["undecided"][number];

beforeAll(async () => {
  folder = await createTemporaryFolder("proposed");
  spec = join(folder, "spec");
  await cp("spec", spec, { recursive: true });
  const from = join(folder, "schema.ts");
  await writeFile(from, changed(await readFile(`spec/${newest}/schema.ts`, "utf8")));
  report = await pinRevision({ revision: next, from, spec, status: "draft" });
});

/** One difference of each kind. */
function changed(schema: string): string {
  return schema
    .replaceAll(newest, next)
    .replace(/^(export type LoggingLevel = .*)"emergency"/m, '$1"disaster"')
    .replace(/^(export type Role = .*);/m, '$1 | "narrator";')
    .replace(/^export type ContentBlock =\s+(?=\w)/m, "export type ContentBlock = VideoContent | ")
    .replace(/^(export interface Tool .*)$/m, "$1\n  color?: string;")
    .replace(/^(export interface BaseMetadata .*)$/m, "$1\n  nick?: string;")
    .replace('cacheScope: "public" | "private"', 'cacheScope: "public" | "private" | "own"')
    .replace(/(interface GetPromptRequestParams [^}]*? name): string/, "$1?: string")
    .replace(/(interface ProgressNotificationParams [^}]*? total\?): number/, "$1: number | string")
    .concat('\nexport interface VideoContent { type: "video"; data: string; mimeType: string }\n');
}

function undecided(): readonly Undecided[] {
  return report?.undecided ?? [];
}

function rulesOf(part: string): readonly unknown[] {
  const found = undecided().find(({ text }) => text.includes(part));
  return found?.entries.map(({ rule, value }) => (value === undefined ? rule : [rule, value])) ?? [];
}

/** Adds an entry of each difference to its overlay, and returns the text of the folder's overlays before. */
async function decide(choose: (difference: Undecided) => Undecided["entries"][number] | undefined): Promise<void> {
  const overlay = JSON.parse(await readFile(`spec/${newest}/overlay.json`, "utf8"));
  const conversions = undecided().flatMap((difference) => choose(difference) ?? []);
  await writeFile(join(spec, newest, "overlay.json"), JSON.stringify({ ...overlay, conversions }));
}

describe("rules that `pin` proposes", () => {
  it.each<[difference: string, rules: readonly unknown[]]>([
    ["disaster of LoggingLevel", [["as", "emergency"], "error"]],
    ["narrator of Role", [["as", "user"], ["as", "assistant"], "error"]],
    ["VideoContent of ContentBlock", ["content-to-resource", "content-to-text", "error"]],
    ["the property Tool.color", ["drop", "error", "keep", "omit"]],
    ["the property GetPromptRequestParams.name", [["default", ""], "error"]],
    ["the alternative string of ProgressNotificationParams.total", ["error"]],
  ])("the proposed rules for %s include those that are accepted", (difference, rules) => {
    expect(rulesOf(difference)).toEqual(expect.arrayContaining([...rules]));
    expect(rulesOf(difference)).not.toContain("audio-to-text");
  });

  it("only the value that a new one may replace is proposed, and an error last", () => {
    expect(rulesOf("disaster of LoggingLevel")).toEqual([["as", "emergency"], "error"]);
  });

  it("an entry for a member of a base stands for all types that inherit it", () => {
    const inherited = undecided().filter(({ text }) => /nick|cacheScope/.test(text));
    expect(inherited.map(({ entries }) => entries.map(({ rule, at }) => [rule, ...at]))).toEqual([
      ["keep", "omit", "drop", "error"].map((rule) => [rule, "BaseMetadata.nick"]),
      ["as", "as", "error"].map((rule) => [rule, "CacheableResult.cacheScope:own"]),
    ]);
    expect(inherited[1]?.text).toMatch(/; the same at .*ListToolsResult\.cacheScope:own/);
  });

  it("the schema of overlays of an earlier version is renewed, so that all rules are proposed", async () => {
    const other = join(folder, "old");
    await cp("spec", other, { recursive: true });
    const path = join(other, "overlay.schema.json");
    const schema = JSON.parse(await readFile(path, "utf8"));
    const { rule } = schema.$defs.conversion.properties;
    rule.enum = rule.enum.filter((name: string) => name !== "as");
    await writeFile(path, JSON.stringify(schema));
    const { undecided: found } = await pinRevision({ revision: next, from: join(folder, "schema.ts"), spec: other });
    const rules = found
      .find(({ text }) => text.includes("disaster of LoggingLevel"))
      ?.entries.map((entry) => entry.rule);
    expect(rules).toEqual(["as", "error"]);
    expect(await readFile(path, "utf8")).toBe(await readFile("spec/overlay.schema.json", "utf8"));
  });

  it("the schema of overlays stays if an overlay of the folder needs it, with the rules that it has", async () => {
    const other = join(folder, "later");
    await cp("spec", other, { recursive: true });
    const [path, overlayPath] = [join(other, "overlay.schema.json"), join(other, newest, "overlay.json")];
    const schema = JSON.parse(await readFile(path, "utf8"));
    const { rule } = schema.$defs.conversion.properties;
    rule.enum = rule.enum.filter((name: string) => name !== "as");
    const own = JSON.stringify({ ...schema, properties: { ...schema.properties, later: { type: "string" } } });
    await writeFile(path, own);
    await writeFile(overlayPath, JSON.stringify({ ...JSON.parse(await readFile(overlayPath, "utf8")), later: "on" }));
    const { undecided: found } = await pinRevision({ revision: next, from: join(folder, "schema.ts"), spec: other });
    expect(found.flatMap(({ entries }) => entries.map((entry) => entry.rule))).not.toContain("as");
    expect(await readFile(path, "utf8")).toBe(own);
  });

  it("every difference has a proposed rule, and every proposed entry is accepted", async () => {
    expect(undecided().map(({ overlay }) => overlay)).toEqual(undecided().map(() => `spec/${newest}/overlay.json`));
    const most = Math.max(...undecided().map(({ entries }) => entries.length));
    for (let at = 0; at < most; at += 1) {
      await decide(({ entries }) => entries[Math.min(at, entries.length - 1)]);
      await expect(emitUnformatted({ spec })).resolves.toBeDefined();
    }
  });

  it.each(["first", "last"])("the conversions of the %s proposed entries compile", async (which) => {
    await decide(({ entries }) => entries.at(which === "first" ? 0 : -1));
    const tree = await emitTree({ spec });
    const generated = join(folder, which);
    await writeTree(generated, tree);
    await writeFile(join(generated, "package.json"), modulePackage);
    const files = [...tree.keys()].map((path) => join(generated, path));
    expect(await compileEmitted(generated, files, { noPropertyAccessFromIndexSignature: false })).toEqual([]);
  });

  it("a value without a rule that peers still send is listed", () => {
    expect(report?.decisions.confirm).toContain(`values: ${newest} allows emergency at LoggingLevel`);
  });

  it("the status of the command line is that of the pin", () => {
    expect(report?.pin.status).toBe("draft");
  });
});
