import type { Change, Difference } from "./difference.ts";

/** Returns every change inside a difference, once for every place where it occurs. A recursive type occurs there once. */
export function changesIn(difference: Difference | undefined): Change[] {
  switch (difference?.kind) {
    case undefined:
    case "recursive":
      return [];
    case "shape":
      return [difference.change, ...changesIn(difference.inner)];
    case "array":
      return changesIn(difference.items);
    case "union":
      return difference.options.flatMap((option) => [
        ...(option.change ? [option.change] : []),
        ...changesIn(option.difference),
      ]);
    case "object":
      return [
        ...difference.changes,
        ...difference.members.flatMap((member) => changesIn(member.difference)),
        ...changesIn(difference.index),
      ];
  }
}
