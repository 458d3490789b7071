import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createOverlayReader } from "../../../generator/read/overlay.ts";
import { readPins } from "../../../generator/read/pins.ts";
import { readRevision } from "../../../generator/read/revision.ts";
import { SpecError } from "../../../generator/internal/spec-error.ts";

/* A damaged schema is read, or rejected with a place. No other error is thrown (T13). */

const revisions = [...readPins("pins.json", read("pins.json")).keys()];
const readOverlay = createOverlayReader(read("overlay.schema.json"));
const perRevision = 12;

/** Pieces of TypeScript that a schema does not use, or not there. */
const foreign = [
  ..."(){}[]<>;:,.|&?=!@#'\"`/*\\\n\0\uD800\uFEFF",
  ..."enum class readonly never undefined unique keyof typeof infer extends implements export const let abstract".split(
    " ",
  ),
  ..."/** /* */ // => ... ?. @minimum @nullable Omit< Record< Array< <T> [k:string]: __proto__ string 1e999 -1 0x10".split(
    " ",
  ),
];

describe.each(revisions)("a damaged schema of %s", (revision) => {
  const text = read(`${revision}/schema.ts`);
  const path = `${revision}/overlay.json`;
  const overlay = { path, value: readOverlay({ path, text: read(path) }) };
  const outcome = (damaged: string): string => {
    try {
      readRevision({ id: revision, status: "released", schema: { path: "schema.ts", text: damaged }, overlay });
      return "model";
    } catch (error) {
      if (error instanceof SpecError && error.message.startsWith(`${error.file}:`)) return "rejection";
      return `${String(error)}`;
    }
  };

  const kinds: readonly { kind: string; damage: (random: () => number) => string }[] = [
    { kind: "cut off", damage: (random) => text.slice(0, at(text, random)) },
    {
      kind: "with a part missing",
      damage: (random) => splice(text, random, { remove: 1 + Math.floor(random() * 40) }),
    },
    { kind: "with a foreign part in it", damage: (random) => splice(text, random, { insert: pick(foreign, random) }) },
    { kind: "with a word exchanged", damage: (random) => exchangeWord(text, random) },
    { kind: "with a line moved", damage: (random) => moveLine(text, random) },
  ];

  it.each(kinds)("a schema $kind is read or rejected", ({ kind, damage }) => {
    const random = createRandom(`${revision} ${kind}`);
    const outcomes = Array.from({ length: perRevision }, () => outcome(damage(random)));
    expect(outcomes.filter((result) => result !== "model" && result !== "rejection")).toEqual([]);
    expect(outcomes).toContain("rejection");
  });
});

function read(path: string): string {
  return readFileSync(`spec/${path}`, "utf8");
}

function at(text: string, random: () => number): number {
  return Math.floor(random() * text.length);
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
}

function splice(
  text: string,
  random: () => number,
  { remove = 0, insert = "" }: { remove?: number; insert?: string },
): string {
  const place = at(text, random);
  return text.slice(0, place) + insert + text.slice(place + remove);
}

/** Outside comments every word matters: names then dangle, or lead round in circles. */
function exchangeWord(text: string, random: () => number): string {
  const words = [...text.replace(/\/\*.*?\*\//gs, (comment) => " ".repeat(comment.length)).matchAll(/\w+/g)];
  const target = pick(words, random);
  const [word] = random() < 0.5 ? pick(words, random) : [pick(foreign, random)];
  return text.slice(0, target.index) + word + text.slice(target.index + target[0].length);
}

function moveLine(text: string, random: () => number): string {
  const lines = text.split("\n");
  const [line = ""] = lines.splice(Math.floor(random() * lines.length), 1);
  lines.splice(Math.floor(random() * lines.length), 0, line);
  return lines.join("\n");
}

/** The same numbers in every run: a xorshift seeded with a text. */
function createRandom(seed: string): () => number {
  let state =
    [...seed].reduce((hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16777619), 2166136261) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
