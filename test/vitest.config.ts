import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Tests with scripts of their own. */
const otherScripts = [
  "test/oracle/**",
  "test/scaffold/**",
  "test/tour/**",
  "test/upstream/**",
  "test/conformance/node_modules/**",
  "test/mutation/node_modules/**",
  "test/browser/**",
  "test/wire/**",
];

const generator = ["test/generator/**/*.test.ts", "test/golden/**/*.test.ts"];

/** Tests of the generator that replace modules: they need modules of their own. */
const isolated = [
  "test/generator/scaffold/create/formatting.test.ts",
  "test/generator/scaffold/create/questions.test.ts",
];

/**
 * `npm test`: everything that needs nothing but Node and the packages of this project. Tests of several nodes that start a store or a
 * balancer end with `.scale.ts`.
 */
export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    globalSetup: "test/build.ts",
    projects: [
      {
        extends: true,
        test: { name: "others", include: ["test/**/*.test.ts"], exclude: [...otherScripts, ...generator] },
      },
      { extends: true, test: { name: "isolated", include: isolated } },
      {
        extends: true,
        // Loading the compiler and the formatter again for each file would take a third of the processor time.
        test: { name: "generator", isolate: false, include: generator, exclude: isolated },
      },
    ],
    // Much of the time goes into processes that are waited for: two workers pay even on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    // As long as a test may take: on a busy machine a second is nothing.
    expect: { poll: { timeout: 50_000 } },
    hookTimeout: 60_000,
  },
});
