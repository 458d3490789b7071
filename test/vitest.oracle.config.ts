import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { reporters } from "./reporters.ts";

/** Comparison with the official schemas: slower than the unit tests, and in need of the official files. */
const config: ViteUserConfig = defineConfig({
  test: {
    root: join(import.meta.dirname, ".."),
    globalSetup: "test/oracle/official-files.ts",
    include: ["test/oracle/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 120_000,
    reporters: reporters("verbose"),
  },
});

export default config;
