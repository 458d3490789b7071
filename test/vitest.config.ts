import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { compiledTemplates } from "./compiled-templates.ts";
import { reporters } from "./reporters.ts";

/** Tests with scripts of their own. Those of programs end with `.program.test.ts`. */
export const otherScripts: readonly string[] = [
  "test/oracle/**",
  "test/scaffold/**",
  "test/tour/**",
  "test/upstream/**",
  "test/delays/**",
  "test/conformance/node_modules/**",
  "test/mutation/node_modules/**",
  "test/browser/**",
  "test/wire/**",
];

/** Tests that replace modules, change the engine, or use libraries with a state of their own: they need modules, and a process, of their own. */
export const isolated: readonly string[] = [
  "test/generator/scaffold/create/formatting.test.ts",
  "test/generator/scaffold/create/questions.test.ts",
  "test/interop/**/*.test.ts",
  "test/runtime/auth/client/file-lock.test.ts",
  "test/runtime/auth/server/constant-time.test.ts",
  "test/runtime/internal/long-texts.test.ts",
  // Collecting the garbage of all files before takes longer than these tests.
  "test/runtime/**/released-memory.test.ts",
  // It advances a clock by weeks: timers that other files have left would fire a million times.
  "test/runtime/internal/timers.test.ts",
  "test/runtime/transport/http-server/timeouts.test.ts",
];

/** `npm test`: what needs nothing but Node and the packages of this project, starts no program, and compiles nothing that is emitted. */
export default defineConfig({
  plugins: [compiledTemplates],
  test: {
    root: new URL("..", import.meta.url).pathname,
    globalSetup: "test/build.ts",
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          // Loading the same modules again for each file would take most of the time.
          isolate: false,
          include: ["test/**/*.test.ts"],
          exclude: [...otherScripts, "test/**/*.program.test.ts", ...isolated],
        },
      },
      {
        extends: true,
        test: { name: "isolated", include: [...isolated], exclude: ["test/**/*.program.test.ts"] },
      },
    ],
    // Some tests wait: three workers pay even on two cores.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    testTimeout: 60_000,
    // As long as a test may take: on a busy machine a second is nothing.
    expect: { poll: { timeout: 50_000 } },
    hookTimeout: 60_000,
    reporters: reporters("default"),
  },
});
