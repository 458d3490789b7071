import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadTemplates } from "../emit/templates.ts";
import type { Tree } from "../emit/tree.ts";
import { emitLayer, layerTemplate } from "./emit-layer.ts";
import { claudeCodeCommand, cursorConfig, desktopConfig, vscodeConfig } from "./client-config.ts";

/** What the files of a project depend on. */
export interface ProjectOptions {
  /** Absolute path of the project, for the client configuration in its README. */
  readonly folder: string;
  /** Checked package name. */
  readonly name: string;
  /** Revisions that it serves, newest first. Its types are those of the first. */
  readonly revisions: readonly string[];
  /** Version of this package. */
  readonly version: string;
  /** Folder of this package: `runtime/`, `generated/` and `templates/` are in it. */
  readonly packageFolder: string;
}

/** Packages that a project depends on. */
export const projectDependencies: readonly string[] = ["zod", "@types/node", "tsx", "typescript", "vitest"];

/** All files of a new project, by path relative to its folder. */
export async function emitProject(options: ProjectOptions): Promise<Tree> {
  const folder = join(options.packageFolder, "templates");
  const templates = await loadTemplates(folder, [layerTemplate, ...rendered.map((name) => `project/${name}`)]);
  const view = await projectView(options);
  const layer = await emitLayer({ ...options, templates });
  const copies = copied.map(async ({ from, to }): Promise<[string, string]> => [
    to,
    (await readFile(join(folder, "project", from), "utf8")).replaceAll("\r\n", "\n"),
  ]);
  return new Map([
    ...(await Promise.all(copies)),
    ...rendered.map((name): [string, string] => [name, templates.render(`project/${name}`, view)]),
    ...[...layer].map(([path, text]): [string, string] => [`src/mcp/${path}`, text]),
  ]);
}

const rendered = ["package.json", "README.md", "src/server.ts", "test/server.test.ts"] as const;

/** npm leaves `.gitignore` out of packages, and git would obey both here: they are kept under other names. */
const copied = [
  { from: "_gitignore", to: ".gitignore" },
  { from: "_gitattributes", to: ".gitattributes" },
  { from: "tsconfig.json", to: "tsconfig.json" },
  { from: "test/tsconfig.json", to: "test/tsconfig.json" },
] as const;

async function projectView({ folder, name, revisions, packageFolder }: ProjectOptions): Promise<object> {
  const [newest = ""] = revisions;
  const structured = await Promise.all(revisions.map((id) => hasStructuredOutput(id, packageFolder)));
  const server = { name: name.slice(name.indexOf("/") + 1), program: join(folder, "dist", "server.js") };
  return {
    name,
    structured: structured[0],
    structuredEverywhere: structured.every(Boolean),
    answer: structured[0] ? `'{"words":2,"characters":12}'` : '"2 words, 12 characters"',
    revisionText: revisions.length === 1 ? `revision ${newest}` : `the revisions ${revisions.join(", ")}`,
    revisionsJson: JSON.stringify(revisions).replaceAll(",", ", "),
    claudeDesktop: desktopConfig(server),
    claudeCode: claudeCodeCommand(server),
    vscode: vscodeConfig(server),
    cursor: cursorConfig(server),
  };
}

/** Whether tools of a revision can have an output schema, read from its generated types. */
async function hasStructuredOutput(revision: string, packageFolder: string): Promise<boolean> {
  const types = await readFile(join(packageFolder, "generated", revision, "types.ts"), "utf8");
  const [, after = ""] = types.split("\nexport interface Tool ");
  const [body = ""] = after.split("\n}\n");
  return /^  outputSchema\?:/m.test(body);
}
