import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { reporters } from "./reporters.ts";

/**
 * Tests that start programs, or that compile what is emitted. They need nothing but Node and the packages of this project. Each file loads its own modules:
 * some build a program when they are loaded, and remove it after the tests of the file.
 */
const config: ViteUserConfig = defineConfig({
  test: {
    root: join(import.meta.dirname, ".."),
    globalSetup: "test/build.ts",
    include: ["test/**/*.program.test.ts"],
    exclude: ["test/*/node_modules/**"],
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
