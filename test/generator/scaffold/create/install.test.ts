import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { installDependencies } from "../../../../generator/scaffold/create/install.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";

afterEach(() => vi.unstubAllEnvs());

/** An npm that writes down how it is called; with what is known offline it fails as told. */
function standIn(failure: string | undefined): { readonly folder: string; readonly calls: () => readonly string[] } {
  const folder = temporaryFolder();
  const log = join(folder, "log");
  mkdirSync(join(folder, "bin"));
  const program = join(folder, "bin", "npm-cli.js");
  writeFileSync(
    program,
    `const fs = require("node:fs");
     const isQuick = process.argv.includes("--prefer-offline");
     fs.appendFileSync(${JSON.stringify(log)}, isQuick ? "quick\\n" : "whole\\n");
     const failure = ${JSON.stringify(failure ?? null)};
     if (isQuick && failure) { console.error("npm error code " + failure); process.exit(1); }`,
  );
  vi.stubEnv("npm_execpath", program);
  return { folder, calls: () => readFileSync(log, "utf8").trim().split("\n") };
}

test.each([
  ["once if the cached metadata is sufficient", undefined, ["quick"], true],
  ["again with fresh metadata if a version is not in the cached metadata", "ETARGET", ["quick", "whole"], true],
  ["once if it fails for another reason", "E401", ["quick"], false],
])("the installation is tried %s", async (_, failure, calls, ok) => {
  const npm = standIn(failure);
  const outcome = await installDependencies({ manager: "npm", folder: npm.folder });
  expect(npm.calls()).toEqual(calls);
  expect(outcome.ok).toBe(ok);
});
