import yargs from "yargs";
import { expect, test, vi } from "vitest";
import { defineCommand, flag, list, toFieldName } from "../../../cli/commands/define-command.ts";
import { runPhase } from "../../../generator/internal/phase.ts";

/** Runs a command with rows of each kind, and returns what its code receives. */
async function receive(...words: readonly string[]): Promise<unknown> {
  let received: unknown;
  const command = defineCommand({
    call: "copy <file> [places..]",
    summary: "Copy a file",
    options: {
      file: { type: "string", demandOption: true },
      places: { type: "string", array: true },
      "dry-run": flag,
      header: list,
      "fail-on": { choices: ["error", "note"], default: "error" },
      "token-env": { type: "string", alias: "t" },
    },
    examples: [["copy a", "a copy"]],
    run: async (values, further) => {
      received = { values, further };
      return 0;
    },
  });
  const cli = yargs([...words]).parserConfiguration({ "populate--": true });
  await command.add(cli).exitProcess(false).parseAsync();
  return received;
}

test("the code of a command receives a field for each option that is given or has a default, and nothing else", async () => {
  expect(await receive("copy", "a")).toEqual({
    values: { file: "a", places: [], dryRun: false, failOn: "error" },
    further: [],
  });
  expect(await receive("copy", "a", "b", "c", "--dry-run", "--header", "x", "-t", "T", "--failOn", "note")).toEqual({
    values: { file: "a", places: ["b", "c"], dryRun: true, header: ["x"], tokenEnv: "T", failOn: "note" },
    further: [],
  });
});

test("the words after `--` belong to another program: they are no arguments of the command", async () => {
  expect(await receive("copy", "a", "--", "b", "--dry-run", "-1")).toMatchObject({
    values: { file: "a", dryRun: false },
    further: ["b", "--dry-run", "-1"],
  });
});

test.each([
  ["check", "check"],
  ["api-key-env", "apiKeyEnv"],
  ["re2js", "re2js"],
])("the field of the option --%s is %s", (option, field) => expect(toFieldName(option)).toBe(field));

/** Runs a command with one phase, and returns its lines on standard error. */
async function runTimed(...words: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const print = vi.spyOn(console, "error").mockImplementation((text: string) => void lines.push(...text.split("\n")));
  const command = defineCommand({
    call: "wait",
    summary: "Wait",
    options: {},
    examples: [["wait", "nothing"]],
    run: () => runPhase("Waiting for a test", async () => 0),
  });
  await command
    .add(yargs([...words]))
    .exitProcess(false)
    .parseAsync();
  print.mockRestore();
  return lines;
}

test("--verbose prints where the time of a command went, and without it nothing is printed", async () => {
  expect(await runTimed("wait")).toEqual([]);
  const lines = await runTimed("wait", "--verbose");
  expect(lines.map((line) => line.replace(/^ *\d+ ms {2}/, ""))).toEqual([
    "start of the program",
    "Waiting for a test",
    "other work",
    expect.stringMatching(/^in all; \d+ ms of processor time/),
  ]);
});
