import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { Project, SyntaxKind } from "ts-morph";
import { describe, expect, it } from "vitest";

/* Words of docs/glossary.md are used for what they mean, and their synonyms are not used in names. */

const glossary = readFileSync("docs/glossary.md", "utf8");
const banned = [...readSynonyms(glossary), "climb", "desk", "goOn", "onceFree", "windUp"].map(toStem);

const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true });
const files = project.addSourceFilesAtPaths(["runtime/**/*.ts", "generator/**/*.ts", ".build/*.ts"]);

const identifiers = new Map(files.map((file) => [pathOf(file), new Set(identifiersOf(file))]));

/** Names that contain a banned stem by accident. */
const exceptions: Readonly<Record<string, string>> = {
  claudeDesktop: "a product",
  desktopConfig: "a product's configuration",
  structuredClone: "a function of the platform",
};

describe("names", () => {
  it.each(banned)("of files and identifiers do not contain %s", (stem) => {
    expect([
      ...files.map(pathOf).filter((path) => toStem(path.replace(/^.*\//, "")).includes(stem)),
      ...namesWith(stem),
    ]).toEqual([]);
  });

  it("are found where a file declares or uses them", () => {
    const sample = project.createSourceFile("sample.ts", "class A { #turnstile = 1; parcel(): void {} }");
    expect(identifiersOf(sample)).toEqual(expect.arrayContaining(["#turnstile", "parcel"]));
    project.removeSourceFile(sample);
  });
});

describe("the glossary", () => {
  it("explains each word once, in sentences", () => {
    const rows = readRows(glossary);
    expect(new Set(rows.map(([word]) => word)).size).toBe(rows.length);
    expect(rows.filter(([, meaning = ""]) => !/^[A-Z`].*\.$/.test(meaning))).toEqual([]);
  });
});

function namesWith(stem: string): string[] {
  return [...identifiers].flatMap(([file, names]) =>
    [...names]
      .filter((name) => exceptions[name] === undefined && toStem(name).includes(stem))
      .map((name) => `${file}: ${name}`),
  );
}

function identifiersOf(file: (typeof files)[number]): string[] {
  return [SyntaxKind.Identifier, SyntaxKind.PrivateIdentifier].flatMap((kind) =>
    file.getDescendantsOfKind(kind).map((node) => node.getText()),
  );
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
