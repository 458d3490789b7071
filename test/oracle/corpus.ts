import type { Declared } from "../../generator/model/resolve.ts";
import { mutate } from "./mutations.ts";
import { createRandom } from "../kit/random.ts";
import { createValueMaker } from "./values.ts";

/** A value to be judged as one declaration. */
export interface Case {
  readonly declaration: string;
  readonly value: unknown;
  /** Made from the declaration and therefore valid for it, before any quirk is added. */
  readonly isMade: boolean;
}

/** Number of values for each declaration, and of mutants of each value. */
export interface CorpusSize {
  readonly values: number;
  readonly mutants: number;
}

/** Values of other types. */
const strangers: readonly unknown[] = [null, 7, "text", false, [], {}];

/** Makes the same cases for the same revision every time: values of every declaration, their mutants, and values of other types. */
export function* makeCases(revision: string, model: Declared, size: CorpusSize): Generator<Case> {
  const random = createRandom(Number(revision.replaceAll("-", "")));
  const make = createValueMaker(model, random);
  for (const { name: declaration } of model.declarations) {
    for (const value of strangers) yield { declaration, value, isMade: false };
    for (let round = 0; round < size.values; round++) {
      const value = make(declaration);
      yield { declaration, value, isMade: true };
      for (let at = 0; at < size.mutants; at++)
        yield { declaration, value: mutate(value, random).value, isMade: false };
    }
  }
}
