import { join } from "node:path";
import type { Plugin } from "vitest/config";
import { emitTemplates } from "../.build/templates.ts";

const root = join(import.meta.dirname, "..");

/** Gives tests the templates as the package has them: compiled. Compiling them takes longer than all else that emitting a project does. */
export const compiledTemplates: Plugin = {
  name: "compiled-templates",
  enforce: "pre",
  load: (id) =>
    id === join(root, "generator/internal/compile-template.ts") ? emitTemplates(join(root, "templates")) : undefined,
};
