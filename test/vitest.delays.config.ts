import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { compiledTemplates } from "./compiled-templates.ts";
import { replacedModules } from "./delays/replaced-modules.ts";
import { reporters } from "./reporters.ts";

/** Names of tests about what happens within one turn of the event loop. */
const withinOneTurn: readonly string[] = [
  "a call that finds the lost connection closing",
  "a handler does not run again if the next request of its call is cancelled while the state is checked",
  "a client without a session receives the input requests of a server with sessions in results of at most 100",
  "messages of a server are passed on in their order, and those of a task to its listener",
  "requests of a session that a DELETE ends while they are checked",
];

/** Another one each time, unless it is given. Vitest prints it before each failed test. */
const { DELAY_SEED: seed = String(Math.floor(Math.random() * 2 ** 31)) } = process.env;
if (!/^\d+$/.test(seed))
  throw new Error(`DELAY_SEED is ${seed}; use a whole number, or omit it for another one each time`);

const seeded = { env: { DELAY_SEED: seed }, setupFiles: "test/delays/setup.ts" };

const shared = [
  "test/runtime/client/**/*.test.ts",
  "test/tools/dev/**/*.test.ts",
  "test/runtime/gateway/**/*.test.ts",
  "test/runtime/server/**/*.test.ts",
  "test/runtime/tasks/**/*.test.ts",
  "test/runtime/transport/http-server/**/*.test.ts",
  "test/cluster/protocol/**/*.test.ts",
];
const memory = "test/runtime/**/released-memory.test.ts";
const exclude = ["test/**/*.program.test.ts"];

/** Tests of what shares stores, engines and transports, while each operation of these takes time. */
const config: ViteUserConfig = defineConfig({
  plugins: [compiledTemplates],
  test: {
    root: join(import.meta.dirname, ".."),
    globalSetup: "test/build.ts",
    projects: [
      {
        extends: true,
        plugins: [replacedModules],
        test: {
          ...seeded,
          name: `delays of seed ${seed}`,
          isolate: false,
          include: shared,
          exclude: [...exclude, memory],
        },
      },
      // Collecting the garbage of all files before takes longer than these tests.
      {
        extends: true,
        plugins: [replacedModules],
        test: { ...seeded, name: `memory with delays of seed ${seed}`, include: [memory] },
      },
      { extends: true, test: { name: "each step", include: ["test/delays/**/*.test.ts"], exclude } },
    ],
    testNamePattern: new RegExp(`^(?!.*(?:${withinOneTurn.join("|")}))`),
    maxWorkers: 3,
    testTimeout: 60_000,
    expect: { poll: { timeout: 50_000 } },
    hookTimeout: 60_000,
    reporters: reporters("default"),
  },
});

export default config;
