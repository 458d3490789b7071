import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { renameRevisions } from "../../../../generator/scaffold/update/named-revisions.ts";
import { findNameUses, findRemovedNames, listSources } from "../../../../generator/scaffold/update/removed-names.ts";
import { readToy } from "../../conversions/toy-revisions.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";

function createProject(files: Readonly<Record<string, string>>): string {
  const project = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  return project;
}

const declare = (doc: string, name: string): string => `/** Text. ${doc} */\nexport interface ${name} { a?: string; }`;
const params = "export interface Params { b?: string; }";

test("names are removed or deprecated once, with what a revision says about them", () => {
  const names = ["Gone", "Kept", "Old", "Replaced", "Plain"];
  const older = readToy(
    "2001-01-01",
    [params, ...names.map((name) => declare(name === "Old" ? "@deprecated Before." : "", name))].join("\n"),
  );
  const newer = readToy(
    "2002-01-01",
    [
      params,
      declare("", "Kept"),
      declare("@deprecated Still.", "Old"),
      declare("@deprecated Use Kept.", "Replaced"),
      declare("@deprecated", "Plain"),
      declare("@deprecated", "New"),
    ].join("\n"),
  );
  expect(findRemovedNames(older, newer)).toEqual([
    { kind: "removed", what: "type", name: "Gone", advice: "2002-01-01 has no such type" },
    { kind: "deprecated", what: "type", name: "Replaced", advice: "Use Kept." },
    { kind: "deprecated", what: "type", name: "Plain", advice: "deprecated in 2002-01-01" },
  ]);
  expect(findRemovedNames(newer, { ...older, methods: [] })).toEqual([
    { kind: "removed", what: "method", name: "do/it", advice: "2001-01-01 has no such method" },
    { kind: "removed", what: "type", name: "New", advice: "2001-01-01 has no such type" },
  ]);
});

test("the sources of a project are its modules without the layer, in order", async () => {
  const paths = ["src/b.ts", "src/a/c.mts", "src/d.cts", "src/e.tsx", "test/f.test.ts", "src/mcp-own/g.ts"];
  const others = ["src/h.js", "src/i.json", "src/j.ts.txt", "src/mcp/k.ts", "l.ts", "src/m.ats", "src/n.tsxx"];
  const project = createProject(Object.fromEntries([...paths, ...others].map((path) => [path, ""])));
  mkdirSync(join(project, "src", "folder.ts"));
  expect(await listSources(project)).toEqual(paths.map((path) => join(project, path)).sort());
  expect(await listSources(createProject({}))).toEqual([]);
});

test("names in use are found in each source, and only there", async () => {
  const text =
    'import { protocol } from "./mcp/index.ts";\nexport const method = "do/it";\nexport type A = protocol.Gone;\n';
  const project = createProject({
    "src/a.ts": text,
    "src/b.ts": text.replaceAll("\n", "\r\n"),
    "src/c.ts": `${text}const = 1;`,
    "src/d.ts": 'export type A = import("./mcp/index.ts").protocol.Gone;\n',
    "src/own.ts": text.replace("./mcp/index.ts", "./own/index.ts"),
    "test/a.test.ts": text.replace("./mcp", "../src/mcp"),
  });
  const method = { kind: "removed", what: "method", name: "do/it", advice: "none" } as const;
  const type = { kind: "deprecated", what: "type", name: "Gone", advice: "some" } as const;
  expect(await findNameUses(project, [method, type])).toEqual([
    ...["src/a.ts", "src/b.ts"].flatMap((file) => [
      { ...method, file, line: 2 },
      { ...type, file, line: 3 },
    ]),
    { ...type, file: "src/d.ts", line: 1 },
    { ...type, file: "test/a.test.ts", line: 3 },
  ]);
  expect(await findNameUses(project, [])).toEqual([]);
});

const [older, newer] = ["2001-01-01", "2002-01-01"];
const catalogue = [older, newer].map((id) => ({ id, status: "released" as const, isStateless: id === newer }));
const introduction = (revisions: string): string =>
  `A [Model Context Protocol](https://modelcontextprotocol.io) server for Node that supports ${revisions}.`;
const layer = (revisions: string): string =>
  `- \`src/mcp/\`: types, validators and method tables of ${revisions}. Generated; do not edit.`;
const agents = (revisions: string): string => `A Model Context Protocol server for ${revisions}.`;

test.each([
  [[], [newer]],
  [[older], []],
  [[older], [older]],
])("the texts of a project stay as they are when its revisions %j become %j", async (from, to) => {
  const text = [introduction("the revisions "), agents(`revision ${older}`)].join("\n");
  const project = createProject({ "README.md": text });
  expect(await renameRevisions(project, { from, to, catalogue, dryRun: false })).toEqual([]);
  expect(readFileSync(join(project, "README.md"), "utf8")).toBe(text);
});

test.each<readonly [what: string, line: (revisions: string) => string, isOurs: boolean]>([
  ["the introduction", introduction, true],
  ["an introduction of former versions", (revisions) => introduction(revisions).replace("supports", "speaks"), true],
  ["the line about the layer", layer, true],
  ["the introduction for agents", agents, true],
  ["an introduction with an addition", (revisions) => `${introduction(revisions)} And more.`, false],
  ["an introduction of other texts", (revisions) => introduction(`tools, and ${revisions}`), false],
  ["a line about the layer of other texts", (revisions) => layer(`tools, and ${revisions}`), false],
  ["an introduction for agents with other texts", (revisions) => agents(`tools, and ${revisions}`), false],
  ["an introduction after a text", (revisions) => `> ${introduction(revisions)}`, false],
  ["a line about the layer after a text", (revisions) => `> ${layer(revisions)}`, false],
  ["an introduction for agents after a text", (revisions) => `> ${agents(revisions)}`, false],
])("%s names other revisions afterwards, or is reported", async (_what, line, isOurs) => {
  const before = `# Demo\n\n${line(`revision ${older}`)}\n`;
  const after = `# Demo\n\n${line(`the revisions ${newer}, 2003-01-01`)}\n`;
  const change = { from: [older], to: [newer, "2003-01-01"], catalogue };
  const project = createProject({ "AGENTS.md": before });
  const reported = ["AGENTS.md:3: names revisions as before; it is yours to change."];
  expect(await renameRevisions(project, { ...change, dryRun: true })).toEqual(
    isOurs ? ["Would update the revisions in AGENTS.md."] : reported,
  );
  expect(readFileSync(join(project, "AGENTS.md"), "utf8")).toBe(before);
  expect(await renameRevisions(project, { ...change, dryRun: false })).toEqual(
    isOurs ? ["Updated the revisions in AGENTS.md."] : reported,
  );
  expect(readFileSync(join(project, "AGENTS.md"), "utf8")).toBe(isOurs ? after : before);
});

test.each<readonly [what: string, to: string[], line: string, isReported: boolean]>([
  ["a removed revision", [newer], `See ${older}.`, true],
  ["a revision that stays", [older, newer], `See ${older}.`, false],
  ["a longer name", [newer], `See ${older}-draft.`, false],
  ["an added revision", [newer], `See ${newer}.`, false],
  ["the former list", [older, newer], `It has revision ${older} only.`, true],
  ["both lists", [older, newer], `Once revision ${older}, now the revisions ${older}, ${newer}.`, false],
])("a line of the user with %s is reported or not", async (_what, to, line, isReported) => {
  const project = createProject({ "README.md": `# Demo\r\n\r\n${line}\r\n` });
  const lines = await renameRevisions(project, { from: [older], to, catalogue, dryRun: false });
  expect(lines).toEqual(isReported ? ["README.md:3: names revisions as before; it is yours to change."] : []);
});

test("a text that cannot be read is reported", async () => {
  const project = createProject({ "README.md/a": "" });
  const lines = await renameRevisions(project, { from: [older], to: [newer], catalogue, dryRun: false });
  expect(lines).toEqual(["README.md may name revisions as before: it could not be read (EISDIR)."]);
});
