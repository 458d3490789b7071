import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { reporters } from "./reporters.ts";

/** Tests that replace modules: they need modules of their own. */
const isolated = ["test/runtime/transport/stdio/on-windows.program.test.ts"];

/** Tests that start programs, or that compile what is emitted. They need nothing but Node and the packages of this project. */
const config: ViteUserConfig = defineConfig({
  test: {
    root: join(import.meta.dirname, ".."),
    globalSetup: "test/build.ts",
    projects: [
      {
        extends: true,
        test: {
          name: "programs",
          // As in the unit tests: loading the same modules again for each file would take long.
          isolate: false,
          include: ["test/**/*.program.test.ts"],
          exclude: ["test/*/node_modules/**", ...isolated],
        },
      },
      { extends: true, test: { name: "isolated", include: isolated } },
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
