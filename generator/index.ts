/** Generator as a library: reads schemas into models and emits the generated layer. */
export { readLosses, type Loss } from "./conversions/conversions.ts";
export { emitTree, generate, type GenerateOptions } from "./generate.ts";
export type * from "./model.ts";
export type { Overlay } from "./model/overlay.ts";
export { readRevision, type RevisionInput } from "./read/revision.ts";
export { readSchema, type Schema } from "./read/schema.ts";
export { openSpecFolder, type SpecFolder } from "./read/spec-folder.ts";
export { SpecError } from "./internal/spec-error.ts";
