import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { run as runProgram } from "../kit/programs.ts";
import { mutatedFolders } from "../mutation/folders.ts";
import { hasPassed, readUnfinished, saveResult, type CampaignResult, type Part } from "./result.ts";

/*
 * `npm run campaign -- <part> [options]`: long runs that look for rare faults. Each saves its figures in `results/`, from which
 * `npm run docs:reliability` writes docs/reliability.md. A run with the same seed makes the same choices.
 */

/** Transports of a soak. */
const transports = ["memory", "stdio", "http", "websocket", "tcp"] as const;

/** Modules of the parts. Each is loaded when it runs. */
const parts: Readonly<Record<string, () => Promise<Part>>> = {
  soak: () => import("./soak/soak.ts"),
  sessions: () => import("./sessions.ts"),
  cuts: () => import("./cuts/cuts.ts"),
  "slow-reader": () => import("./slow-reader.ts"),
  "long-line": () => import("./long-line.ts"),
  kill: () => import("./kill.ts"),
  fuzz: () => import("./fuzz/fuzz.ts"),
  limits: () => import("./limits/limits.ts"),
  mutation: () => import("./mutation.ts"),
  edits: () => import("./edits.ts"),
};

/** Parts without a short form. */
const longOnly: readonly string[] = ["mutation", "edits"];

const names = Object.keys(parts).join(", ");

const options = yargs(hideBin(process.argv))
  .usage(`npm run campaign -- <part> [options]\n\nParts: ${names}; all of them at once with \`all --short\``)
  .option("seed", { type: "number", describe: "Seed of all random choices; default: drawn from the time" })
  .option("short", { type: "boolean", describe: "Run for a few seconds, judge counts only, and save nothing" })
  .option("count", {
    type: "number",
    describe: "Messages, cuts, kills or drawn mutants in all, or sessions of each kind; default: the part's",
  })
  .option("minutes", { type: "number", describe: "Duration of a soak, by default 60, or time after which fuzz ends" })
  .option("transport", { type: "string", describe: "Transport of a part that runs over several, or lane of fuzz" })
  .option("folder", { choices: Object.keys(mutatedFolders), describe: "Folder that is mutated" })
  .option("continue", {
    type: "boolean",
    describe: "Add to the saved result of a run of fuzz that --minutes has ended, with the same seed and count",
    conflicts: ["seed", "count", "transport", "short"],
  })
  .check(({ _: words, seed, short, count, minutes, folder }) => {
    checkPart(words, short === true);
    if (words[0] === "mutation" && folder === undefined)
      throw new Error(`The folder is missing; give --folder ${Object.keys(mutatedFolders)[0]}, or another one`);
    if (seed !== undefined && !Number.isInteger(seed))
      throw new Error("--seed is not an integer; give the one that a run has printed");
    if (count !== undefined && (!Number.isInteger(count) || count < 1))
      throw new Error("--count is not a count; give 1 or more");
    if (minutes !== undefined && !(minutes > 0)) throw new Error("--minutes is not a duration; give more than 0");
    return true;
  })
  .version(false)
  .strictOptions()
  .parseSync();

function checkPart([name, ...others]: readonly (string | number)[], isShort: boolean): void {
  if (name === undefined) throw new Error(`The part is missing; give one of ${names}`);
  if (others.length > 0) throw new Error(`The parts are more than one; run "${others.join(" ")}" by itself`);
  if (name === "all" && !isShort) throw new Error("All parts at once disturb each other; add --short or name one");
  if (isShort && longOnly.includes(String(name))) throw new Error(`The part ${name} has no short form; run it whole`);
  if (name !== "all" && !Object.hasOwn(parts, name))
    throw new Error(`The part "${name}" is unknown; give one of ${names}`);
}

const { count, minutes, folder, short: isShort = false, continue: isContinued = false } = options;
const [name = ""] = options._.map(String);
const earlier = isContinued ? readUnfinished(name) : undefined;
const seed = earlier?.seed ?? options.seed ?? Date.now() % 2 ** 31;

async function runPart(name: string, transport: string | undefined): Promise<boolean> {
  const part = await parts[name]?.();
  if (!part) throw new Error(`The part "${name}" is unknown; give one of ${names}`);
  const result = await part.run({
    seed,
    isShort,
    ...(count !== undefined && { count }),
    ...(transport !== undefined && { transport }),
    ...(folder !== undefined && { folder }),
    ...earlier?.options,
    ...(earlier && { earlier }),
    ...(minutes !== undefined && { minutes }),
  });
  print(result);
  if (!isShort) console.log(`saved ${await saveResult(result)}`);
  return hasPassed(result, { isShort });
}

function print({ name, seconds, figures, violations }: CampaignResult): void {
  console.log(`${name}, ${seconds} s`);
  for (const { name: figure, value, unit, goal, isMet } of figures) {
    const mark = goal === undefined ? " " : isMet ? "+" : "-";
    console.log(`${mark} ${figure}: ${value} ${unit}${goal === undefined ? "" : ` (${goal})`}`);
  }
  for (const violation of violations) console.log(`- ${violation}`);
}

/** Parts that run at the same time: they mostly wait, and more would only delay each other. */
const atOnce = 5;

/**
 * Runs all parts with a short form, those that run over one transport over each. Each has a process of its own: a part that blocks its process to measure
 * it would delay the others. The outputs of parts that failed are printed last.
 */
async function runAll(): Promise<boolean> {
  const names = Object.keys(parts).filter((name) => !longOnly.includes(name));
  const waiting = names.flatMap((name): (readonly [string, ...string[]])[] =>
    name === "soak" ? transports.map((transport) => [name, "--transport", transport]) : [[name]],
  );
  const outcomes: (string | undefined)[] = [];
  const runNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) outcomes.push(await runApart(next));
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
  const failures = outcomes.filter((failure) => failure !== undefined);
  for (const failure of failures) console.log(failure);
  return failures.length === 0;
}

/** Runs a part. Prints its output if it passed, and otherwise returns it with the command that repeats the run. */
async function runApart([name, ...args]: readonly [string, ...string[]]): Promise<string | undefined> {
  const words = [name, "--short", "--seed", String(seed), ...args];
  const { code, output } = await runProgram(process.execPath, [...process.execArgv, import.meta.filename, ...words]);
  if (code !== 0) return `failed: npm run campaign -- ${words.join(" ")}\n${output}`;
  console.log(output);
  return undefined;
}

console.log(`seed ${seed}`);
const passed = await (name === "all" ? runAll() : runPart(name, options.transport));
console.log(passed ? "passed" : "failed");
// Connections of a part that failed do not keep the process.
process.exit(passed ? 0 : 1);
