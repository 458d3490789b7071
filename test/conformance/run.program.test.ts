import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../kit/programs.ts";

const program = ["--import", "tsx", join(import.meta.dirname, "run.ts")];

test.each([
  [["--page", "--nonsense"], "The argument --nonsense is unknown; give --page, --scenarios or --cluster"],
  [["server"], "The argument server is unknown; give --page, --scenarios or --cluster"],
])("the run of the suite rejects the arguments %j", async (args, message) => {
  const { code, output } = await run(process.execPath, [...program, ...args], {
    cwd: join(import.meta.dirname, "..", ".."),
    signal: AbortSignal.timeout(100_000),
  });
  expect(output.trim().split("\n").at(-1)).toBe(message);
  expect(code).toBe(1);
});
