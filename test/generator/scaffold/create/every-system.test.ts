import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { packageManagers } from "../../../../generator/scaffold/create/package-manager.ts";
import { isDeviceName } from "../../../../generator/internal/files.ts";
import { packageRoot } from "../../../../generator/internal/package-info.ts";
import { allRevisions, emitFiles } from "../../../kit/projects.ts";

/* What this package writes, and what it is made of, can be checked out and run with the file system and the shell of every system. */

const selections = [
  { transport: "stdio", features: "all", extras: "all" },
  { transport: "both", features: "all", auth: "oauth", extras: "all" },
  { transport: "http", features: "tools", auth: "api-key", extras: "all" },
  { transport: "worker", features: "tools", extras: "ci" },
  { transport: "both", features: "tools,prompts", runtime: "vendored", client: true, extras: "none" },
] as const;

/** Paths that some system has no file for. */
function findStrangePaths(paths: readonly string[], longest: number): string[] {
  const isStrange = (segment: string): boolean =>
    isDeviceName(segment) || /[<>:"|?*\\\p{Cc}]|[. ]$/u.test(segment) || segment === "";
  const seen = new Set<string>();
  return paths.filter((path) => {
    const isTwice = seen.has(path.toLowerCase());
    seen.add(path.toLowerCase());
    return isTwice || path.length > longest || path.split("/").some(isStrange);
  });
}

/** Scripts that only a POSIX shell reads as they are meant: words in double quotes are the same to all. */
function findStrangeScripts(manifest: string): string[] {
  const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(manifest);
  return Object.values(scripts).filter((script) => {
    const plain = script.replaceAll(/"[^"]*"/g, "word");
    return /['`$;\\%^]|(^|[&|] *)(\w+=|(\.\/|rm|cp|mv|mkdir|cat|export|chmod|touch|true|sh|bash)\b)/.test(plain);
  });
}

test.each([
  ["NODE_ENV=test vitest"],
  ["tsc && rm -rf dist"],
  ["vitest 'a b'"],
  ["node $HOME/x.js"],
  ["tsc; node a.js"],
  ["a | cat -"],
])("a script that only POSIX shells support is found: %s", (script) => {
  expect(findStrangeScripts(JSON.stringify({ scripts: { script } }))).toEqual([script]);
});

test.each([["a/nul.ts"], ["a/b:c"], ["dist./a"], ["a\\b"], ["a "], [`${"a".repeat(200)}`]])(
  "a path that Windows does not support is found: %s",
  (path) => {
    expect(findStrangePaths([path], 150)).toEqual([path]);
    expect(findStrangePaths(["x/A.ts", "x/a.ts"], 150)).toEqual(["x/a.ts"]);
  },
);

describe.each(packageManagers)("a project with %s", (manager) => {
  test.each(selections)("paths and scripts of a project with %j work on every system", async (given) => {
    const tree = await emitFiles({
      selection: given,
      manager,
      revisions: manager === "npm" ? allRevisions : allRevisions.slice(0, 1),
    });
    expect(tree.size).toBeGreaterThan(5);
    expect(findStrangePaths([...tree.keys()], 100)).toEqual([]);
    expect(findStrangeScripts(tree.get("package.json") ?? "")).toEqual([]);
  });
});

test("paths and scripts of this repository work on every system", () => {
  const folders = [
    ".build",
    "bench",
    "cli",
    "cluster",
    "docs",
    "examples",
    "generated",
    "generator",
    "runtime",
    "spec",
    "templates",
    "test",
    "tools",
  ];
  const paths = folders.flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => !path.includes("node_modules"))
      .map((path) => `${folder}/${path.replaceAll(sep, "/")}`),
  );
  expect(paths.length).toBeGreaterThan(1_000);
  expect(findStrangePaths(paths, 150)).toEqual([]);
  expect(findStrangeScripts(readFileSync(join(packageRoot, "package.json"), "utf8"))).toEqual([]);
});
