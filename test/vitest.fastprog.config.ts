import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { compiledTemplates } from "./compiled-templates.ts";
import { reporters } from "./reporters.ts";

/** Tests that replace modules need modules of their own. */
export const isolatedPrograms: readonly string[] = ["test/runtime/transport/stdio/on-windows.program.test.ts"];

/** Tests that start programs, or that compile what is emitted. They need nothing but Node and the packages of this project. */
const config: ViteUserConfig = defineConfig({
  plugins: [compiledTemplates],
  test: {
    root: join(import.meta.dirname, ".."),
    projects: [
      {
        extends: true,
        test: {
          name: "programs",
          // Loading the same modules again for each file takes as long as a third of the tests.
          isolate: false,
          include: ["test/**/*.program.test.ts"],
          exclude: ["test/*/node_modules/**", ...isolatedPrograms],
        },
      },
      { extends: true, test: { name: "isolated", include: [...isolatedPrograms] } },
    ],
    // Much of the time goes into processes that are waited for.
    maxWorkers: 3,
    testTimeout: 120_000,
    // As long as a test may take: on a busy machine a second is nothing.
    expect: { poll: { timeout: 100_000 } },
    hookTimeout: 120_000,
    reporters: reporters("default"),
  },
});

export default config;
