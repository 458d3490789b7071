import { basename, dirname } from "node:path";
import { defineConfig } from "vitest/config";
import { leftOut, root, testsOf } from "./folders.ts";

const folder = process.env.MUTATED_FOLDER ?? "";

/** Tests of the mutated folder, which the variable `MUTATED_FOLDER` names. Stryker runs them in a copy of the repository. */
export default defineConfig({
  test: {
    root,
    include: [...testsOf(folder)],
    exclude: [...leftOut],
    // A mutant may wait without end. On a busy machine, tests of one that nothing detects take many seconds: they must not pass for these.
    testTimeout: 60_000,
    // The default number of random texts may take longer: a mutant that no test detects would pass for a detected one.
    env: {
      FUZZ_SCANS: "200",
      // The contract of engines runs on the mutated one.
      ...(dirname(folder) === "cluster" && { SCALE_ENGINE: basename(folder) }),
    },
    hookTimeout: 20_000,
    // An engine notices the loss of its server after two pings, and works for some seconds before it is ready.
    expect: { poll: { timeout: folder.startsWith("cluster/") ? 30_000 : 3_000 } },
  },
});
