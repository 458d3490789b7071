import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runStages } from "../../.ci/run-stages.ts";
import { oracle, testFiles, whole, type Stage } from "../../.ci/stage.ts";

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "stages-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs stages on one core, one after another. Returns the outcome and everything printed. */
async function run(...stages: readonly Stage[]): Promise<{ readonly isGreen: boolean; readonly text: string }> {
  let text = "";
  const isGreen = await runStages([stages], (line) => (text += `${line}\n`), 1);
  return { isGreen, text };
}

/** Command line that fails at its first run and passes afterwards. */
const flaky = (name: string): string => {
  const mark = join(folder, name);
  return `if [ -e ${mark} ]; then echo again; else touch ${mark}; echo "failed: touch ${mark}.named"; false; fi`;
};

/** Command line with a report of Vitest: a file passes when it is named as an argument. It prints `summary` when it fails. */
const vitest = (files: readonly string[], summary = ""): string => {
  const script = join(folder, "vitest.sh");
  const report = (status: string, wanted: readonly string[]): string =>
    JSON.stringify({
      testResults: wanted.map((name) => ({
        name: join(process.cwd(), name),
        status,
        assertionResults: [{ status: "passed" }, { status }],
      })),
    });
  writeFileSync(
    script,
    `if [ "$#" -gt 0 ]; then echo '${report("passed", files.slice(0, 1))}' >"$TEST_REPORT"; echo "ran $*"; exit; fi
echo '${report("failed", files)}' >"$TEST_REPORT"; echo '${summary}'; exit 1`,
  );
  return `bash ${script}`;
};

describe("a stage decides the run", () => {
  it.each([
    ["a command that fails", "false"],
    ["a pipeline whose first part fails", "false | cat"],
    ["a command that fails before others", "false; true"],
    ["a function that fails inside of a condition's command", "f() { bash -c false; }; f; echo on"],
    ["an unset variable", 'echo "$nothing_at_all"'],
  ])("the run is red after %s", async (_case, command) => {
    const { isGreen, text } = await run(
      whole("before", 1, "true"),
      oracle("it", 1, command),
      whole("after", 1, "echo later"),
    );
    expect(isGreen).toBe(false);
    expect(text).toMatch(/^it +1 +\d+ +\d+ +failed$/m);
    // The others are run nevertheless.
    expect(text).toContain("later\n");
    expect(text).toMatch(/^2 passed, 1 failed$/m);
  });

  it("the run is green if every stage passes, and counts what they print", async () => {
    const { isGreen, text } = await run(whole("one", 1, "true"), whole("two", 1, 'echo "12 passed, 0 failed"'));
    expect(isGreen).toBe(true);
    expect(text.trimEnd().split("\n").at(-1)).toBe("13 passed, 0 failed");
  });
});

describe("stages beside each other", () => {
  /** Command line that waits for the file of another stage, and writes its own. */
  const meet = (own: string, other: string): string =>
    `touch ${join(folder, own)}; until [ -e ${join(folder, other)} ]; do sleep 0.05; done`;

  it("stages run beside each other while there are cores for them", async () => {
    const stages = [whole("one", 1, meet("one", "two")), whole("two", 1, meet("two", "one"))];
    expect(await runStages([stages], () => undefined, 2)).toBe(true);
  });

  it("a stage that needs every core runs without others, after those that fit before it", async () => {
    const order = join(folder, "order");
    const write = (word: string): string => `echo ${word} start >>${order}; sleep 0.2; echo ${word} end >>${order}`;
    const stages = [
      whole("one", 1, write("one")),
      whole("alone", Infinity, write("alone")),
      whole("two", 1, write("two")),
    ];
    expect(await runStages([stages], () => undefined, 2)).toBe(true);
    expect(readFileSync(order, "utf8").split("\n").slice(-3)).toEqual(["alone start", "alone end", ""]);
  });
});

describe("a second attempt", () => {
  it("a second attempt that passes makes a stage green, and is listed", async () => {
    const { isGreen, text } = await run(whole("it", 1, flaky("a")));
    expect(isGreen).toBe(true);
    expect(text).toMatch(/^it +1 +\d+ +\d+ +second attempt$/m);
    expect(text).toContain("passed at the second attempt:\n");
    expect(text).toMatch(/^1 passed, 0 failed$/m);
  });

  it("an oracle has no second attempt", async () => {
    const { isGreen, text } = await run(oracle("it", 1, flaky("a")));
    expect(isGreen).toBe(false);
    expect(text).not.toContain("second attempt");
  });

  it("a part that the output names is run again by itself", async () => {
    const { isGreen } = await run({ name: "it", cores: 1, command: flaky("a"), repeat: { kind: "named" } });
    expect(isGreen).toBe(true);
    expect(readFileSync(join(folder, "a.named"), "utf8")).toBe("");
  });

  it("test files that failed are run one by one, and their second results count", async () => {
    const { isGreen, text } = await run(testFiles("it", 1, vitest(["test/a.test.ts"]), "--file"));
    expect(isGreen).toBe(true);
    expect(text).toContain("ran --file test/a.test.ts\n");
    expect(text).toMatch(/^2 passed, 0 failed$/m);
  });

  it("test files that failed are not run by themselves after an error outside of the tests, which would be forgotten", async () => {
    const command = vitest(["test/a.test.ts"], "     Errors  1 error");
    const { isGreen, text } = await run(testFiles("it", 1, command, "--file"));
    expect(isGreen).toBe(false);
    expect(text).toContain(`second attempt, it: ${command}: failed\n`);
  });

  it("the run is red if a stage fails twice", async () => {
    const { isGreen, text } = await run(whole("it", 1, "echo reason; false"));
    expect(isGreen).toBe(false);
    expect(text).toMatch(/^== failed: it\nreason$/m);
    expect(text).toMatch(/^0 passed, 1 failed$/m);
  });

  it("the run is red after more than three second attempts", async () => {
    const three = ["a", "b", "c"].map((name) => whole(name, 1, flaky(name)));
    expect((await run(...three)).isGreen).toBe(true);
    const four = ["d", "e", "f", "g"].map((name) => whole(name, 1, flaky(name)));
    expect((await run(...four)).isGreen).toBe(false);
  });
});
