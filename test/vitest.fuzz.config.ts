import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";

/** A million messages, or as many as `FUZZ_MESSAGES` says; `FUZZ_SEED` repeats a run. */
const config: ViteUserConfig = defineConfig({
  test: {
    root: join(import.meta.dirname, ".."),
    include: ["test/fuzz/*.fuzz.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 1_800_000,
    reporters: ["verbose"],
  },
});

export default config;
