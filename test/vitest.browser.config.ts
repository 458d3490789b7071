import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { reporters } from "./reporters.ts";

/** Pages that the commands write, in a real browser: needs Chromium. */
const config: ViteUserConfig = defineConfig({
  test: {
    root: join(import.meta.dirname, ".."),
    globalSetup: "test/build.ts",
    include: ["test/browser/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 1,
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: reporters("verbose"),
  },
});

export default config;
