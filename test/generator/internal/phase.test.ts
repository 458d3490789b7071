import { afterEach, expect, test, vi } from "vitest";
import { phasesText, runPhase, timePhase } from "../../../generator/internal/phase.ts";

const { stderr } = process;

/** Makes standard error a terminal or none, and returns what is written there. */
function writtenTo(isTTY: boolean): readonly string[] {
  const texts: string[] = [];
  vi.spyOn(stderr, "write").mockImplementation((text) => texts.push(String(text)) > 0);
  vi.stubGlobal(
    "process",
    Object.create(process, { stderr: { value: Object.create(stderr, { isTTY: { value: isTTY } }) } }),
  );
  return texts;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  performance.clearMeasures();
});

test("a phase shows its title in a terminal until it ends, also when it fails", async () => {
  const texts = writtenTo(true);
  const seen = await runPhase("Reading schemas", async () => [...texts]);
  expect(seen).toEqual(["\r\u001B[2KReading schemas ...\r"]);
  expect(texts.slice(1)).toEqual(["\r\u001B[2K"]);
  await expect(runPhase("Reading", () => Promise.reject(new Error("no file")))).rejects.toThrow("no file");
  expect(texts.at(-1)).toBe("\r\u001B[2K");
});

test("a phase shows nothing where standard error is no terminal", async () => {
  const texts = writtenTo(false);
  expect(await runPhase("Reading", async () => 1)).toBe(1);
  expect(texts).toEqual([]);
});

test("the list of phases has each in the order of their start, and phases at the same time count once", async () => {
  const start = performance.now();
  await timePhase("outer", () => timePhase("inner", async () => {}));
  const lines = phasesText(start).split("\n");
  expect(lines.map((line) => line.replace(/^ *\d+ ms {2}([\w ]+).*$/, "$1"))).toEqual([
    "start of the program",
    "outer",
    "inner",
    "other work",
    "in all",
  ]);
  const [before = 0, , , other = 0, all = 0] = lines.map((line) => Number.parseInt(line, 10));
  expect(before).toBeLessThanOrEqual(all);
  expect(other).toBeGreaterThanOrEqual(0);
});
