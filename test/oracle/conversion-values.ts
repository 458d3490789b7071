import { ConversionError } from "../../generated/support.ts";
import type { Declaration, RevisionModel, Shape } from "../../generator/model.ts";
import { createRandom } from "../kit/random.ts";
import { createValueMaker } from "./values.ts";

/** Options of `makeValues`. */
export interface ValueOptions {
  readonly model: RevisionModel;
  readonly shape: Shape;
  readonly seed: number;
  readonly count: number;
}

/** Makes values of a shape; the same seed makes the same values. */
export function makeValues({ model, shape, seed, count }: ValueOptions): unknown[] {
  const name = "Value made for a test";
  const declaration: Declaration = { name, kind: "alias", extends: [], shape, location: { line: 1, column: 1 } };
  const make = createValueMaker({ declarations: [...model.declarations, declaration] }, createRandom(seed));
  return Array.from({ length: count }, () => make(name));
}

/** Returns the result of a conversion, or the error by which it says that the older revision cannot express the value. */
export function tryConversion(convert: () => unknown): unknown {
  try {
    return convert();
  } catch (error) {
    if (error instanceof ConversionError) return error;
    throw error;
  }
}
