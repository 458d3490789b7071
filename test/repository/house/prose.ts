import type { SourceFile } from "ts-morph";
import { commentsOf, proseOf } from "../../docs/doc-comments.ts";
import { rooms } from "../architecture/rooms.ts";
import { isIn } from "../architecture/sources.ts";
import { atMost, type Figure } from "./figure.ts";

/** Returns the figures of doc comments. */
export function measureProse(files: readonly SourceFile[]): Figure[] {
  const texts = files
    .filter((file) => rooms.some((room) => isIn(file, room)))
    .flatMap((file) => commentsOf(file.getFullText()))
    .flatMap(({ isDoc, text }) => (isDoc ? [proseOf(text)] : []));
  const { words, that, twice } = countThat(texts);
  return [
    atMost('"that" per 1,000 words of doc comments', (that / words) * 1_000, 15),
    atMost('sentences with "that" twice', twice, 0),
  ];
}

/** Counts words, the word "that", and sentences that have it twice. */
export function countThat(texts: readonly string[]): {
  readonly words: number;
  readonly that: number;
  readonly twice: number;
} {
  const sentences = texts.flatMap((text) => text.split(/(?<=[.!?:;])\s+/));
  const found = sentences.map((sentence) => ({
    words: sentence.match(/\p{L}[\p{L}'’-]*/gu)?.length ?? 0,
    that: sentence.match(/\bthat\b/gi)?.length ?? 0,
  }));
  return {
    words: found.reduce((sum, { words }) => sum + words, 0),
    that: found.reduce((sum, { that }) => sum + that, 0),
    twice: found.filter(({ that }) => that > 1).length,
  };
}
