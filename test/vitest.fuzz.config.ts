import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { reporters } from "./reporters.ts";

/**
 * A million messages in memory, or as many as `FUZZ_MESSAGES` says, and a twentieth of that from hostile servers, or `FUZZ_HOSTILE_MESSAGES`.
 * `FUZZ_SEED` repeats a run; `FUZZ_FIGURES` prints what happened.
 */
const config: ViteUserConfig = defineConfig({
  test: {
    root: join(import.meta.dirname, ".."),
    include: ["test/fuzz/**/*.fuzz.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 1_800_000,
    reporters: reporters("verbose"),
  },
});

export default config;
