import { SpecError } from "../../../generator/internal/spec-error.ts";

/** Returns the error of a file of the spec folder that a reader rejects. */
export function catchSpecError(read: () => unknown): SpecError {
  try {
    read();
  } catch (error) {
    if (error instanceof SpecError) return error;
    throw error;
  }
  throw new Error("the file was accepted");
}
