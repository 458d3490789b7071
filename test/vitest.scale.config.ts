import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { reporters } from "./reporters.ts";

/** Several nodes with one store. `test/cluster/run.ts` chooses the folder and passes its options on as `SCALE_…`. */
const config: ViteUserConfig = defineConfig({
  test: {
    root: join(import.meta.dirname, ".."),
    include: ["test/cluster/**/*.{scale,test}.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 600_000,
    // As in the other tests: on a busy machine a second is nothing.
    expect: { poll: { timeout: 50_000 } },
    reporters: reporters("verbose"),
  },
});

export default config;
