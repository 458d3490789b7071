import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { countThat } from "../repository/house/prose.ts";
import { commentsOf, examplesOf, proseOf, sourcesIn, type Comment } from "./doc-comments.ts";

/* Comments are plain: they open with a noun phrase or a third-person verb, have no chains of "that", and do not repeat the name. */

/** Share of doc comments that may open with a clause, and uses of "that" per 1,000 words. Comments of templates are emitted: they change with the files. */
const folders = [
  { folder: "runtime", clauses: 0.005, that: 15 },
  { folder: "generator", clauses: 0.005, that: 15 },
  { folder: "cluster", clauses: 0.005, that: 15 },
  { folder: "tools", clauses: 0.005, that: 15 },
  { folder: "cli", clauses: 0.005, that: 15 },
  { folder: "templates", clauses: 0.005, that: 25 },
  { folder: "examples", clauses: 0.005, that: 15 },
] as const;

const clause =
  /^(?:what|who|whom|whose|whoever|whatever|whether|how|where|wherever|when|whenever|that|why|which|if|but|and|or)\b/i;

describe.each(folders)("comments of $folder", ({ folder, clauses, that }) => {
  const all = sourcesIn(folder).flatMap((file) =>
    commentsOf(readFileSync(file, "utf8")).map((comment) => ({ ...comment, place: `${file}:${comment.line}` })),
  );
  const docs = all.filter(({ isDoc }) => isDoc);

  it("comments open with a noun phrase or a verb, with few exceptions", () => {
    const opened = docs.filter(({ text }) => clause.test(text)).map(({ place }) => place);
    expect(opened.slice(Math.floor(docs.length * clauses))).toEqual([]);
  });

  it(`comments have at most ${that} times "that" per 1,000 words, and never twice in a sentence`, () => {
    const texts = docs.map(({ text, place }) => ({ place, prose: proseOf(text) }));
    const twice = texts.filter(({ prose }) => countThat([prose]).twice > 0).map(({ place }) => place);
    const counted = countThat(texts.map(({ prose }) => prose));
    expect(twice.slice(folder === "templates" ? 1 : 0)).toEqual([]);
    expect((1_000 * counted.that) / counted.words).toBeLessThanOrEqual(that);
  });

  it("comments do not repeat the name", () => {
    const repeated = docs.filter(repeatsName).map(({ place, text }) => `${place}: ${text}`);
    expect(repeated).toEqual([]);
  });
});

describe("a comment", () => {
  it("a comment is read with its declaration, its prose and its examples", () => {
    const source =
      "/**\n * Reads `a`.\n *\n * @example\n * ```ts\n * read(1);\n * ```\n */\nexport function read() {}\n// Note.";
    const [first, second] = commentsOf(source);
    expect(first).toMatchObject({ line: 1, isDoc: true, name: "read" });
    expect(proseOf(first?.text ?? "").trim()).toBe("Reads X.");
    expect(examplesOf(source)).toEqual([{ line: 1, code: "read(1);" }]);
    expect(second).toMatchObject({ text: "Note.", isDoc: false });
  });

  it("a faulty comment is recognized by its fault", () => {
    expect(clause.test("What a server is.")).toBe(true);
    expect(countThat(["A part that names one that is gone. A part that stays: that."])).toEqual({
      words: 13,
      that: 4,
      twice: 1,
    });
    const comment = { line: 1, text: "Options of `readFile`.", isDoc: true };
    expect(repeatsName({ ...comment, name: "ReadFileOptions" })).toBe(true);
    expect(repeatsName({ ...comment, name: "PageOptions" })).toBe(false);
  });
});

/** True for at most four words that are all parts of the name. */
function repeatsName({ text, name }: Comment): boolean {
  const words = text
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[a-z]+/g)
    ?.filter((word) => !["a", "an", "the", "of", "for", "in", "its"].includes(word));
  if (!name || !words || words.length > 4 || words.length === 0) return false;
  return words.every((word) => name.toLowerCase().includes(word.replace(/s$/, "")));
}
