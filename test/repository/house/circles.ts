import type { SourceFile } from "ts-morph";
import { findCircles } from "../architecture/circles.ts";
import { isIn, pathOf, resolveFrom, specifiersOf } from "../architecture/sources.ts";
import { atMost, partOf, type Figure } from "./figure.ts";

/** Returns the figures of circular imports in a folder. */
export function measureCircles(files: readonly SourceFile[], folder: string): Figure[] {
  const own = files.filter((file) => isIn(file, folder));
  const circles = findCircles(own);
  return [
    atMost(`${folder}: circles of imports, of values and of types`, circles.length, 0),
    partOf("files of the largest", Math.max(0, ...circles.map(({ length }) => length))),
    atMost(`${folder}: imports inside of circles`, countInside(own, circles), 10),
  ];
}

/** Counts the imports from one file of a circle to another. */
export function countInside(files: readonly SourceFile[], circles: readonly (readonly string[])[]): number {
  const inside = files.flatMap((file) => {
    const path = pathOf(file);
    const circle = circles.find((members) => members.includes(path)) ?? [];
    const targets = new Set(specifiersOf(file).map((specifier) => resolveFrom(path, specifier)));
    return circle.filter((member) => targets.has(member));
  });
  return inside.length;
}
