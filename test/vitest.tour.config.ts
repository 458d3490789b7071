import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { reporters } from "./reporters.ts";

/** Settings of the tour: the guides with the packed packages in an empty folder. It needs the npm registry. */
const config: ViteUserConfig = defineConfig({
  test: {
    root: join(import.meta.dirname, ".."),
    globalSetup: "test/tour/setup.ts",
    include: ["test/tour/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: reporters("verbose"),
  },
});

export default config;
