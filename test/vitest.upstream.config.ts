import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";

/** Comparison with upstream's files, which are not part of this project: needs MCP_UPSTREAM_DIR and MCP_UPSTREAM_REPOSITORY. */
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
