import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettings } from "../../../../generator/scaffold/settings/read-settings.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";
import { writeFiles } from "../../../kit/projects.ts";

const serve = 'import { createServer } from "node:http"; createServer().listen(0);';

test("a program that serves instead of printing its settings is ended", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, [
    ["package.json", '{"type":"module"}'],
    ["build.js", ""],
    ["dist/server.js", serve],
  ]);
  await expect(readSettings(folder, { timeout: 2_000 })).rejects.toThrow(
    `${join("dist", "server.js")} does not end with --settings`,
  );
});
