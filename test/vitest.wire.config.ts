import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { reporters } from "./reporters.ts";

/** Conversations with the examples and the gateway, compared with their transcripts. Most of the time is spent waiting. */
const config: ViteUserConfig = defineConfig({
  test: {
    root: join(import.meta.dirname, ".."),
    globalSetup: "test/build.ts",
    include: ["test/wire/*.test.ts"],
    maxConcurrency: 5,
    testTimeout: 120_000,
    reporters: reporters("verbose"),
  },
});

export default config;
