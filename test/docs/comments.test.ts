import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commentsOf, examplesOf, proseOf, sourcesIn, type Comment } from "./doc-comments.ts";

/* Comments are written in the words of docs/glossary.md, and doc comments open with a noun phrase or a third-person verb. */

/** Share of doc comments that may open with a clause, avoided words per 1,000 words of comments, and short comments that repeat the name. */
const folders = [
  { folder: "runtime", clauses: 0.005, words: 0.3, repeats: 0 },
  { folder: "generator", clauses: 0.005, words: 3, repeats: 0 },
  { folder: "templates", clauses: 0.005, words: 3, repeats: 0 },
  { folder: "examples", clauses: 0.005, words: 3, repeats: 0 },
] as const;

const clause =
  /^(?:what|who|whom|whose|whoever|whatever|whether|how|where|wherever|when|whenever|that|why|which|if|but|and|or)\b/i;

/** Words for which the glossary or plain English has better ones: requests are sent, responses are returned, things have no wishes. */
const avoidedWords: readonly RegExp[] = [
  /\b(?:nobody|somebody|anybody|everybody|someone|whoever|whomever|whatever|anew|news)\b/gi,
  /\b(?:tell|tells|telling|told|ask|asks|asked|asking|answers?|answered|answering|questions?)\b/gi,
  /\b(?:refuses?|refused|refusing|refusals?|lets?|had|gone|stands?|stood)\b/gi,
  /\b(?:alone|lone|nothing but|for ever|comes? to|goes on|go on)\b/gi,
  // Persons may be referred to with a pronoun, programs are things.
  /(?<!\b(?:users?|persons?|people|authors?|readers?),? )\b(?:who|whom)\b/gi,
];

/** Terms of standards that contain such a word, and users, whose consent is asked for. */
const terms =
  /\blone (?:surrogate|half)|\brefused connections?|\busers? (?:who are asked|again)|\bask(?:s|ed|ing)? (?:the|a) user|\bwithout asking/gi;

describe.each(folders)("comments of $folder", ({ folder, clauses, words, repeats }) => {
  const all = sourcesIn(folder).flatMap((file) =>
    commentsOf(readFileSync(file, "utf8")).map((comment) => ({ ...comment, place: `${file}:${comment.line}` })),
  );
  const docs = all.filter(({ isDoc }) => isDoc);

  it("comments open with a noun phrase or a verb, with few exceptions", () => {
    const opened = docs.filter(({ text }) => clause.test(text)).map(({ place }) => place);
    expect(opened.slice(Math.floor(docs.length * clauses))).toEqual([]);
  });

  it("comments use the words of the glossary, with few exceptions", () => {
    const found = all.flatMap(({ text, place }) => avoidedWordsOf(text).map((word) => `${place}: ${word}`));
    const count = all.reduce((sum, { text }) => sum + wordsOf(text).length, 0);
    expect(found.slice(Math.floor((count / 1_000) * words))).toEqual([]);
  });

  it("comments do not repeat the name", () => {
    const repeated = docs.filter(repeatsName).map(({ place, text }) => `${place}: ${text}`);
    expect(repeated.slice(repeats)).toEqual([]);
  });
});

describe("a comment", () => {
  it("a comment is read with its declaration, its prose and its examples", () => {
    const source =
      "/**\n * Reads `a`.\n *\n * @example\n * ```ts\n * read(1);\n * ```\n */\nexport function read() {}\n// Note.";
    const [first, second] = commentsOf(source);
    expect(first).toMatchObject({ line: 1, isDoc: true, name: "read" });
    expect(wordsOf(first?.text ?? "")).toEqual(["Reads", "X"]);
    expect(examplesOf(source)).toEqual([{ line: 1, code: "read(1);" }]);
    expect(second).toMatchObject({ text: "Note.", isDoc: false });
  });

  it("a faulty comment is recognized by its fault", () => {
    expect(clause.test("What a server is.")).toBe(true);
    expect(avoidedWordsOf("The client who asks is told `who` it is; a user who signs in is not.")).toEqual([
      "asks",
      "told",
      "who",
    ]);
    expect(avoidedWordsOf('A lone surrogate, "refused", and a refused connection')).toEqual([]);
    const comment = { line: 1, text: "Options of `readFile`.", isDoc: true };
    expect(repeatsName({ ...comment, name: "ReadFileOptions" })).toBe(true);
    expect(repeatsName({ ...comment, name: "PageOptions" })).toBe(false);
  });
});

function avoidedWordsOf(text: string): string[] {
  const prose = proseOf(text).replaceAll(terms, "");
  return avoidedWords.flatMap((pattern) => prose.match(pattern) ?? []);
}

function wordsOf(text: string): string[] {
  return proseOf(text).match(/[\p{L}\p{N}'-]+/gu) ?? [];
}

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
