import { join } from "node:path";
import { startVitest } from "vitest/node";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { outerNamespace } from "./processes/network.ts";
import { runInNamespace } from "./network-namespace.ts";

/*
 * `npm run test:scale -- model --seed 7`: tests of several nodes with one store, a layer at a time. The seed is printed; a run with the same seed
 * makes the same choices.
 */

const layers = [
  "model",
  "contract",
  "protocol",
  "faults",
  "mutants",
  "deploy",
  "security",
  "problems",
  "load",
  "outage",
];

const options = yargs(hideBin(process.argv))
  .usage("npm run test:scale -- <layer> [options]")
  .option("engine", { type: "string", describe: "Store that the nodes share", default: "memory" })
  .option("nodes", { type: "number", describe: "Number of nodes; default: 3, with load 4" })
  .option("only", { type: "string", describe: "Words, separated by commas: tests with one of them in their names" })
  .option("file", { type: "string", array: true, describe: "Test file of the layer; default: all" })
  .option("seed", { type: "number", describe: "Seed of all random choices", default: Date.now() % 2 ** 31 })
  .option("minutes", { type: "number", describe: "Minutes that a run with faults takes", default: 3 })
  .option("sessions", { type: "number", describe: "Sessions with an open stream, with load", default: 10_000 })
  .option("rate", { type: "number", describe: "Calls a second, with load", default: 300 })
  .option("workloads", {
    type: "string",
    describe: "Workloads of a run with faults, separated by commas; default: all",
  })
  .option("network", {
    choices: ["links", "namespaces"] as const,
    describe: "Network of a run with faults: a proxy before a single engine, or a namespace for each program, for root",
    defaultDescription: "links",
  })
  .option("faults", { type: "string", describe: "Words, separated by commas: faults with one of them in their names" })
  .check(({ _: words, nodes, seed, minutes, sessions, rate }) => {
    checkLayer(words);
    if (nodes !== undefined && (!Number.isInteger(nodes) || nodes < 1))
      throw new Error("--nodes is not a count; give 1 or more");
    if (!Number.isInteger(seed)) throw new Error("--seed is not an integer; give the one that a run has printed");
    if (!Number.isInteger(sessions) || sessions < 1) throw new Error("--sessions is not a count; give 1 or more");
    if (!(rate > 0)) throw new Error("--rate is not a number of calls; give more than 0");
    if (!(minutes > 0)) throw new Error("--minutes is not a duration; give more than 0");
    return true;
  })
  .version(false)
  .strictOptions()
  .parseSync();

function checkLayer([layer, ...others]: readonly (string | number)[]): void {
  const known = layers.join(", ");
  if (layer === undefined) throw new Error(`The layer is missing; give one of ${known}`);
  if (!layers.includes(String(layer))) throw new Error(`The layer "${layer}" is unknown; give one of ${known}`);
  if (others.length > 0) throw new Error(`The layers are more than one; run "${others.join(" ")}" by itself`);
}

/** Returns a pattern for names that contain one of the words. */
function toPattern(words: string): string {
  return words
    .split(",")
    .map((word) => word.trim().replace(/[^\w\s]/g, "\\$&"))
    .join("|");
}

if (options.network === "namespaces" && process.env[outerNamespace] === undefined) process.exit(await runAgain());

/** Runs the tests in a network namespace, or says why that is not possible. Returns the exit code. */
async function runAgain(): Promise<number> {
  try {
    return await runInNamespace();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}

const { engine, only, file: files, seed, minutes, sessions, rate, workloads, faults, network } = options;
const nodes = options.nodes ?? (options._[0] === "load" ? 4 : 3);
Object.assign(process.env, {
  SCALE_ENGINE: engine,
  SCALE_NODES: String(nodes),
  SCALE_SEED: String(seed),
  SCALE_MINUTES: String(minutes),
  SCALE_SESSIONS: String(sessions),
  SCALE_RATE: String(rate),
  ...(workloads !== undefined && { SCALE_WORKLOADS: workloads }),
  ...(faults !== undefined && { SCALE_FAULTS: faults }),
  ...(network !== undefined && { SCALE_NETWORK: network }),
});
console.log(`seed ${seed}`);
const vitest = await startVitest("test", files ?? [`test/cluster/${options._[0]}/`], {
  config: join(import.meta.dirname, "..", "vitest.scale.config.ts"),
  watch: false,
  ...(only && { testNamePattern: toPattern(only) }),
});
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
const passed = tests.filter((test) => test.result().state === "passed").length;
const failed = tests.filter((test) => test.result().state === "failed").length;
await vitest.close();
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0 || passed === 0) process.exitCode = 1;
