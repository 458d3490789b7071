import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { Project, ts, type SourceFile } from "ts-morph";
import { describe, expect, it } from "vitest";
import { isMarkedExported, nodesOf } from "./architecture/nodes.ts";
import { isOfRuntime, rooms } from "./architecture/rooms.ts";

/* Words of docs/glossary.md are used for what they mean, and their synonyms are not used in names. Names of tests stand for themselves. */

const glossary = readFileSync("docs/glossary.md", "utf8");
const banned = [...readSynonyms(glossary), "climb", "desk", "goOn", "onceFree", "windUp"].map(toStem);

const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true });
const files = project.addSourceFilesAtPaths([...rooms.map((room) => `${room}/**/*.{ts,tsx}`), ".build/*.ts"]);

/** Names of files and of the identifiers in them, each with its stem. */
const names = files.flatMap((file) => {
  const path = pathOf(file);
  const found = new Set([file.getBaseName(), ...identifiersOf(file)]);
  return [...found].map((name) => ({ path, name, stem: toStem(name) }));
});

/** Names of identifiers and files that contain a banned stem, with the reason: by the folder or the file in which they may. */
const exceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "": {
    claudeDesktop: "a product",
    desktopConfig: "a product's configuration",
    structuredClone: "a function of the platform",
    isConnectionRefused: "ECONNREFUSED, an error of the system",
    questionToken: "a member of the compiler's nodes",
    maxInputRounds: "a count: each round takes one request",
  },
  "generator/scaffold/create/": {
    Answer: "what a person types",
    answer: "what a person types",
    Question: "what a person is asked",
    "questions.ts": "what a person is asked",
    toClaim: "of a token",
  },
  "generator/scaffold/providers/": { claims: "of a token" },
  "tools/check/auth/": { claims: "of a token" },
  "tools/diff/report/json.ts": { verdict: "a member of the report, which programs read" },
  "runtime/adapters/jose.ts": { claims: "of a token" },
  "runtime/auth/": {
    ClaimRules: "of a token",
    Claims: "of a token",
    claims: "of a token",
    "claims.ts": "of a token",
    findClaimProblem: "of a token",
    requiredClaims: "of a token",
    scopeClaims: "of a token",
    toClaims: "of a token",
  },
  "runtime/server/input/request-state-record.ts": {
    answer: "a member of the request state, which clients carry",
    questions: "a member of the request state, which clients carry",
  },
  "runtime/server/input/replayed-input-state.ts": {
    answer: "a member of the request state, which clients carry",
    questions: "a member of the request state, which clients carry",
  },
  "runtime/server/protocol-types.ts": { claims: "of a token" },
  "runtime/testing/issuer/": { claims: "of a token" },
  "runtime/transport/http-server/": { claims: "of a token" },
};

describe("names", () => {
  it.each(banned)("names of files and identifiers do not contain %s", (stem) => {
    const found = names.filter((name) => name.stem.includes(stem) && !isExcepted(name));
    expect(found.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
  });

  it("exported names of the runtime mean one thing", () => {
    const declared = files.filter((file) => isOfRuntime(pathOf(file))).flatMap(exportsOf);
    const repeated = declared.filter((name, index) => declared.indexOf(name) !== index);
    expect(declared.length).toBeGreaterThan(1_000);
    expect(repeated).toEqual([]);
  });

  it("names are found where a file declares or uses them", () => {
    const sample = project.createSourceFile("sample.ts", "class A { #turnstile = 1; parcel(): void {} }");
    expect(identifiersOf(sample)).toEqual(expect.arrayContaining(["#turnstile", "parcel"]));
    project.removeSourceFile(sample);
  });
});

/** Words that names of tests avoid besides the synonyms of the glossary. */
const furtherWords = [
  "anew",
  "ask",
  "asks",
  "asked",
  "bears",
  "lone",
  "news",
  "nobody",
  "round",
  "told",
  "who",
  "whoever",
];

/** Words that no name of a test begins with: its subject comes first. */
const openings = /^(and|are|but|how|is|nor|not|or|so|that|what|when|where|whether|which|who)\b/i;

/** Words in names of tests that are not meant as synonyms, with the reason: by the folder. */
const titleExceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "test/runtime/auth/": { claim: "of a token" },
};

describe("names of tests", () => {
  const tests = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true });
  const titles = tests
    .addSourceFilesAtPaths(["test/**/*.ts", "!test/golden/expected/**", "!test/**/node_modules/**"])
    .flatMap((file) => titlesOf(file).map((title) => ({ path: pathOf(file), title })));

  it.each([...banned, ...furtherWords])("a name of a test does not contain %s", (word) => {
    const pattern = banned.includes(word) ? new RegExp(`\\b${word}`, "i") : new RegExp(`\\b${word}\\b`, "i");
    const found = titles.filter(({ path, title }) => pattern.test(title) && !isExceptedTitle(path, word));
    expect(found.map(({ path, title }) => `${path}: ${title}`)).toEqual([]);
  });

  it("a name of a test begins with its subject", () => {
    const found = titles.filter(({ title }) => openings.test(title));
    expect(found.map(({ path, title }) => `${path}: ${title}`)).toEqual([]);
  });

  it("a name of a test is found in plain and repeated tests and in suites", () => {
    const text = 'it("a", f); test.each(rows)("b %s", f); describe.skipIf(x)(`c ${d}`, f); other("e", f);';
    const sample = tests.createSourceFile("sample.ts", text);
    expect(titlesOf(sample)).toEqual(["a", "b %s", "c ${d}"]);
    tests.removeSourceFile(sample);
  });
});

function isExceptedTitle(path: string, word: string): boolean {
  return Object.entries(titleExceptions).some(([place, words]) => path.startsWith(place) && Object.hasOwn(words, word));
}

/** Returns the titles of all calls of `describe`, `it` and `test` in a file. */
function titlesOf(file: SourceFile): string[] {
  return nodesOf(file).filter(ts.isCallExpression).flatMap(titleOf);
}

/** Returns the title of a call of `describe`, `it` or `test`, and nothing of other calls. */
function titleOf({ expression, arguments: [title] }: ts.CallExpression): string[] {
  const isTitle = title !== undefined && ts.isStringLiteralLike(title);
  if (!isTitle && !(title && ts.isTemplateExpression(title))) return [];
  if (!/^(describe|it|test)\b/.test(expression.getText())) return [];
  return [isTitle ? title.text : title.getText().slice(1, -1)];
}

describe("the glossary", () => {
  it("the glossary explains each word once, in sentences", () => {
    const rows = readRows(glossary);
    expect(new Set(rows.map(([word]) => word)).size).toBe(rows.length);
    expect(rows.filter(([, meaning = ""]) => !/^[A-Z`].*\.$/.test(meaning))).toEqual([]);
  });
});

function isExcepted({ path, name }: { readonly path: string; readonly name: string }): boolean {
  return Object.entries(exceptions).some(([place, words]) => path.startsWith(place) && Object.hasOwn(words, name));
}

function identifiersOf(file: SourceFile): string[] {
  return nodesOf(file).flatMap((node) => (ts.isIdentifier(node) || ts.isPrivateIdentifier(node) ? [node.text] : []));
}

/** Returns the names that a file exports and declares itself, each once. */
function exportsOf({ compilerNode: { statements } }: SourceFile): string[] {
  const listed = new Set(statements.flatMap(listedExports));
  const names = statements.flatMap((node) => {
    const isExported = isMarkedExported(node);
    return declaredNames(node).filter((name) => isExported || listed.has(name));
  });
  return [...new Set(names)];
}

/** Returns the names of a file's own that a statement `export { … }` lists. */
function listedExports(node: ts.Statement): string[] {
  if (!ts.isExportDeclaration(node) || node.moduleSpecifier || !node.exportClause) return [];
  return ts.isNamedExports(node.exportClause)
    ? node.exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
    : [];
}

function declaredNames(node: ts.Statement): string[] {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map(({ name }) => name.getText());
  const isDeclaration =
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node);
  return isDeclaration && node.name ? [node.name.text] : [];
}

function readRows(text: string): string[][] {
  return text
    .split("\n")
    .filter((line) => /^\| (?!-|word )/.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

function readSynonyms(text: string): string[] {
  return readRows(text).flatMap(([, , synonyms = ""]) => synonyms.split(", ").filter((word) => word !== ""));
}

function pathOf(file: SourceFile): string {
  return relative(process.cwd(), file.getFilePath());
}

/** Without what tells camelCase, kebab-case and prose apart. */
function toStem(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/g, "");
}
