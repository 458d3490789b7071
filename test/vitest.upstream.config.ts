import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";

/** Comparison with the unmodified upstream files, which are not part of this project: needs MCP_UPSTREAM_DIR. */
const config: ViteUserConfig = defineConfig({
  test: {
    root: join(import.meta.dirname, ".."),
    include: ["test/upstream/**/*.test.ts"],
    pool: "forks",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

export default config;
