import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { reporters } from "./reporters.ts";

/** New projects from the command line to official clients: slow, and in need of the npm registry and the official files. */
const config: ViteUserConfig = defineConfig({
  test: {
    root: join(import.meta.dirname, ".."),
    globalSetup: "test/build.ts",
    include: ["test/scaffold/**/*.test.ts"],
    pool: "forks",
    // Much of the time goes into processes that are waited for.
    maxWorkers: 3,
    testTimeout: 300_000,
    hookTimeout: 240_000,
    reporters: reporters("verbose"),
  },
});

export default config;
