import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { Node, Project, SyntaxKind, type CallExpression } from "ts-morph";
import { describe, expect, it } from "vitest";

/* Words of docs/glossary.md are used for what they mean, and their synonyms are not used in names. Names of tests stand for themselves. */

const glossary = readFileSync("docs/glossary.md", "utf8");
const banned = [...readSynonyms(glossary), "climb", "desk", "goOn", "onceFree", "windUp"].map(toStem);

const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true });
const files = project.addSourceFilesAtPaths([
  "runtime/**/*.ts",
  "generator/**/*.ts",
  "generator/**/*.tsx",
  ".build/*.ts",
]);

const identifiers = new Map(files.map((file) => [pathOf(file), new Set(identifiersOf(file))]));

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
  "generator/check/auth/": { claims: "of a token" },
  "generator/diff/report/json.ts": { verdict: "a member of the report, which programs read" },
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
  "runtime/transport/http-server/": { claims: "of a token" },
};

describe("names", () => {
  it.each(banned)("names of files and identifiers do not contain %s", (stem) => {
    expect([
      ...files.map(pathOf).filter((path) => isBanned(path.replace(/^.*\//, ""), path, stem)),
      ...namesWith(stem),
    ]).toEqual([]);
  });

  it("exported names of the runtime mean one thing", () => {
    const declared = files.filter((file) => pathOf(file).startsWith("runtime/")).flatMap(exportsOf);
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
    .map((file) => ({ path: pathOf(file), calls: file.getDescendantsOfKind(SyntaxKind.CallExpression) }))
    .flatMap(({ path, calls }) => calls.flatMap((call) => titlesOf(call).map((title) => ({ path, title }))));

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
    const found = sample.getDescendantsOfKind(SyntaxKind.CallExpression).flatMap(titlesOf);
    expect(found).toEqual(["a", "b %s", "c ${d}"]);
    tests.removeSourceFile(sample);
  });
});

function isExceptedTitle(path: string, word: string): boolean {
  return Object.entries(titleExceptions).some(([place, words]) => path.startsWith(place) && Object.hasOwn(words, word));
}

/** Returns the title of a call of `describe`, `it` or `test`, and nothing of other calls. */
function titlesOf(call: CallExpression): string[] {
  const [title] = call.getArguments();
  const isTitle = Node.isStringLiteral(title) || Node.isNoSubstitutionTemplateLiteral(title);
  if (!isTitle && !Node.isTemplateExpression(title)) return [];
  if (!/^(describe|it|test)\b/.test(call.getExpression().getText())) return [];
  return [isTitle ? title.getLiteralText() : title.getText().slice(1, -1)];
}

describe("the glossary", () => {
  it("the glossary explains each word once, in sentences", () => {
    const rows = readRows(glossary);
    expect(new Set(rows.map(([word]) => word)).size).toBe(rows.length);
    expect(rows.filter(([, meaning = ""]) => !/^[A-Z`].*\.$/.test(meaning))).toEqual([]);
  });
});

function namesWith(stem: string): string[] {
  return [...identifiers].flatMap(([file, names]) =>
    [...names].filter((name) => isBanned(name, file, stem)).map((name) => `${file}: ${name}`),
  );
}

function isBanned(name: string, file: string, stem: string): boolean {
  if (!toStem(name).includes(stem)) return false;
  return !Object.entries(exceptions).some(([place, names]) => file.startsWith(place) && Object.hasOwn(names, name));
}

function identifiersOf(file: (typeof files)[number]): string[] {
  return [SyntaxKind.Identifier, SyntaxKind.PrivateIdentifier].flatMap((kind) =>
    file.getDescendantsOfKind(kind).map((node) => node.getText()),
  );
}

/** Returns the names that a file exports and declares itself, each once. */
function exportsOf(file: (typeof files)[number]): string[] {
  const statements = file.getStatements().filter((node) => Node.isExportable(node) && node.isExported());
  const names = statements.flatMap((node) =>
    Node.isVariableStatement(node)
      ? node.getDeclarations().map((declaration) => declaration.getName())
      : Node.hasName(node) || Node.isFunctionDeclaration(node) || Node.isClassDeclaration(node)
        ? [node.getName() ?? ""]
        : [],
  );
  return [...new Set(names)];
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

function pathOf(file: (typeof files)[number]): string {
  return relative(process.cwd(), file.getFilePath());
}

/** Without what tells camelCase, kebab-case and prose apart. */
function toStem(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/g, "");
}
