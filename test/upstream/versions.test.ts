import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { SpecError } from "../../generator/internal/spec-error.ts";
import { readSchema } from "../../generator/read/schema.ts";

/*
 * Every version of a schema that upstream has ever committed, on all branches, is read. MCP_UPSTREAM_REPOSITORY names a clone of the specification's
 * repository.
 */

/** Rejected versions, by the start of their hash in git, with a part of the reason. */
const rejected: Readonly<Record<string, string>> = {
  // Not valid TypeScript, or undeclared types.
  "0519554e": "not valid TypeScript",
  a5e37f5d: "`Date` is not declared",
  c2d3e285: "`Response` is not declared",
  d623098e: "`Response` is not declared",
  daa11046: "`JSONRPCIncompleteResultResponse` is not declared",
  f25f0ee9: "`ResourceReference` is not declared",
  // Functions that classify messages.
  "815c3d34": "ImportDeclaration",
  "8fe62bd4": "FunctionDeclaration",
  // A number that is an object as well.
  f49a6372: "intersection of something that is not an object",
};

const repository = process.env.MCP_UPSTREAM_REPOSITORY;

function git(...args: readonly string[]): string {
  if (repository === undefined)
    throw new Error("Set MCP_UPSTREAM_REPOSITORY to a clone of the specification's repository.");
  return execFileSync("git", [...args], { cwd: repository, encoding: "utf8", maxBuffer: 2 ** 28 });
}

/** Returns the path of each version, by its hash. */
function listVersions(): ReadonlyMap<string, string> {
  const changes = git("log", "--all", "--raw", "--no-abbrev", "--format=", "--diff-filter=d", "--", "*schema.ts");
  const versions = new Map<string, string>();
  for (const line of changes.split("\n")) {
    const [, hash, path] = /^:\d+ \d+ [\da-f]+ ([\da-f]+) \w+\t(?:.*\t)?(.+)$/.exec(line) ?? [];
    if (hash !== undefined && path !== undefined) versions.set(hash, path);
  }
  return versions;
}

test("all versions of upstream's schemas are read, except those that are listed", { timeout: 600_000 }, () => {
  const failures: Record<string, string> = {};
  for (const [hash, path] of listVersions()) {
    try {
      readSchema(path, git("cat-file", "blob", hash));
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      failures[hash.slice(0, 8)] = error.message;
    }
  }
  const expected = Object.entries(rejected).filter(([hash]) => hash in failures);
  expect(failures).toEqual(
    Object.fromEntries(expected.map(([hash, reason]) => [hash, expect.stringContaining(reason)])),
  );
});
