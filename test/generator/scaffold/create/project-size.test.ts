import { describe, expect, test } from "vitest";
import { packageRoot } from "../../../../generator/internal/package-info.ts";
import { readLauncher } from "../../../../generator/scaffold/create/launcher.ts";
import { emitProject } from "../../../../generator/scaffold/create/project-files.ts";
import { projectOptions, type ProjectParts } from "../../../kit/projects.ts";

/* What an owner of a new project (`--yes`) has in git. The lock file of the package manager comes on top. */

const folder = "/home/me/projects/demo";
const none = { files: new Map<string, string>(), archives: new Map<string, Uint8Array>() };
const archive = "vendor/mcp-server-runtime-1.0.0.tgz";
const launcher = readLauncher() ?? expect.unreachable("the runtime is not packed");

const projects: readonly (readonly [what: string, parts: ProjectParts])[] = [
  ["from the registry", { runtime: { ...none, version: "^1.0.0" } }],
  [
    "from a clone",
    { runtime: { ...none, version: `file:${archive}`, archives: new Map([[archive, Buffer.from("")]]) }, launcher },
  ],
];

/** Matches paths as a line of `.gitignore` does, for the kinds of lines that a project has. */
function isIgnored(path: string, line: string): boolean {
  if (line.endsWith("/")) return path.startsWith(line);
  return path === line || (line === "vendor/*.tgz" && path === archive);
}

async function filesInGit(parts: ProjectParts): Promise<ReadonlyMap<string, string>> {
  const options = projectOptions({ folder, ...parts });
  const tree = await emitProject(options);
  const lines = (tree.get(".gitignore") ?? "").split("\n").filter((line) => /^[^#!]/.test(line));
  const all = [...tree, ...[...options.runtime.archives.keys()].map((path) => [path, ""] as const)];
  return new Map(all.filter(([path]) => !lines.some((line) => isIgnored(path, line))));
}

describe.each(projects)("a new project %s", async (_what, parts) => {
  const files = await filesInGit(parts);

  test("the project has 33 files in git at most, with its lock file: 18 in src/mcp/ and 14 others", () => {
    const layer = [...files.keys()].filter((path) => path.startsWith("src/mcp/"));
    expect(layer.length).toBeLessThanOrEqual(18);
    expect([...files.keys()].filter((path) => !path.startsWith("src/mcp/")).sort()).toEqual([
      ".gitattributes",
      ".gitignore",
      "AGENTS.md",
      "README.md",
      "build.js",
      "package.json",
      "src/server.ts",
      "test/client.ts",
      "test/measure-text-tool.test.ts",
      "test/server.test.ts",
      "test/shorten-prompt.test.ts",
      "test/style-guide-resource.test.ts",
      "tsconfig.json",
      "vitest.config.ts",
    ]);
  });

  test("no file in git has a path of the machine", () => {
    for (const [path, text] of files)
      for (const place of [folder, packageRoot, "/home/", "/Users/", "/tmp/"])
        expect(text.includes(place), `${path}: ${place}`).toBe(false);
  });
});
