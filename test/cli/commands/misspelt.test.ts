import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { adviseCommand } from "../../../cli/commands/misspelt.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";

test.each([
  ["deploy", undefined, "It is a script of a project: npm run deploy in its folder."],
  ["deploy", { scripts: { dev: "a" } }, "package.json has no script deploy either."],
  ["deploy", {}, "package.json has no script deploy either."],
  ["dev", { scripts: { dev: "a" } }, "Run the script of the project: npm run dev."],
  ["serve", { scripts: { start: "a" } }, "Run the script of the project: npm run start."],
])("the command `%s` where package.json is %j gets the advice: %s", (word, manifest, advice) => {
  const folder = temporaryFolder();
  if (manifest) writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  expect(adviseCommand(word, folder)).toBe(advice);
});
