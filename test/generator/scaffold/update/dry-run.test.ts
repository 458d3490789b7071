import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCreate } from "../../../../cli/commands/create.ts";
import { runUpdate, type UpdateCommandOptions } from "../../../../cli/commands/update.ts";
import { captured, type CommandResult } from "../../../kit/commands.ts";
import { listAll, temporaryFolder } from "../../../kit/temporary-folders.ts";

/*
 * Every effect of an update, in projects with and without a client: a dry run writes nothing and reports what the run then does, the layer is the one
 * of a new project with the same choices, and an undo restores all of it. No packages are installed: the types of the projects are not checked.
 */

type Options = Partial<UpdateCommandOptions>;

function update(directory: string, options: Options = {}): Promise<CommandResult> {
  const defaults = { check: false, dryRun: false, codemod: false, force: false, undo: false };
  return captured(() => runUpdate({ ...defaults, ...options, directory }));
}

type Contents = Readonly<Record<string, string>>;

/** Every file with its content, without the former layer. */
function contents(folder: string): Contents {
  const files = listAll(folder).filter((path) => /\.\w+$/.test(path) && !path.startsWith(".mcp-previous"));
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), "latin1")]));
}

function changedBetween(before: Contents, after: Contents): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((path) => before[path] !== after[path]);
}

const choices = { protocol: "2025-11-25,2025-06-18", features: "tools,resources", transport: "both" } as const;

/** Creates a project with these choices. */
async function create(directory: string, options: Options = {}): Promise<void> {
  const { protocol, features, transport, scale, client } = { ...choices, ...options };
  const quick = { yes: true, install: false, git: false, dryRun: false };
  const given = { protocol, features, transport, scale, client };
  expect((await captured(() => runCreate({ directory, ...given, ...quick }))).code).toBe(0);
}

const layerOf = (all: Contents): Contents =>
  Object.fromEntries(Object.entries(all).filter(([path]) => path.startsWith("src/mcp/")));

const bases = realpathSync(mkdtempSync(join(tmpdir(), "create-")));
const projects = ["plain", "client"] as const;

beforeAll(async () => {
  const directory = join(bases, "plain");
  await create(directory);
  cpSync(directory, join(bases, "client"), { recursive: true });
  expect((await update(join(bases, "client"), { client: true })).code).toBe(0);
  rmSync(join(bases, "client", ".mcp-previous"), { recursive: true });
});

afterAll(() => rmSync(bases, { recursive: true, force: true }));

/** Effect of an update besides the files of the layer: other changed files, and lines of its report. */
interface Effect {
  readonly files?: readonly string[];
  readonly lines?: readonly (string | RegExp)[];
}

const texts = ["AGENTS.md", "README.md"];
const lost = /^(?:At least )?\d+ (?:further )?places? in your code to change for /m;

type Row = readonly [name: string, options: Options, effect: Effect];

const updates: readonly Row[] = [
  [
    "the newest revision only",
    { protocol: "2026-07-28" },
    { files: texts, lines: [lost, "diff 2025-11-25 2026-07-28"] },
  ],
  [
    "code for another revision",
    { protocol: "2026-07-28", codemod: true },
    { files: texts, lines: [/^\d+ places? in \d+ files? rewritten\.$/m] },
  ],
  [
    "all revisions and features",
    { protocol: "all", features: "all" },
    { files: texts, lines: [/^Features: .*tasks/m] },
  ],
  [
    "parts that need packages",
    { features: "tools,resources,skills", transport: "both,websocket", scale: "redis" },
    {
      lines: [
        /^Features: .*skills.*; before: /m,
        "Skills are read with the package yaml: ",
        "WebSockets are served with the package ws: ",
        "Transports: stdio, http, websocket; before: stdio, http.",
        "Engine of several nodes: redis; before: none.",
        "Its client is a package: ",
      ],
    },
  ],
  ["a feature less", { features: "tools" }, { lines: ["Features: tools; before: tools, resources.", lost] }],
  [
    "no HTTP",
    { transport: "stdio" },
    { lines: ["Transports: stdio; before: stdio, http.", "Remove what serves HTTP", lost] },
  ],
];

/** Report of a run in the words of a dry run. */
const toDry = (text: string): string =>
  text
    .replace(
      /(files?) written or removed; the previous files are in .*$/m,
      "$1 would be written or removed; nothing was.",
    )
    .replace(/^Updated the revisions in /gm, "Would update the revisions in ")
    .replace(/ rewritten\.$/gm, " would be rewritten; nothing was.");

function copyProject(name: (typeof projects)[number]): string {
  const project = join(temporaryFolder(), "demo");
  cpSync(join(bases, name), project, { recursive: true });
  return project;
}

describe.each(projects)("an update of a project with %s parts", (name) => {
  const hasClient = name === "client";
  const toggle: Row = [
    "the client",
    { client: !hasClient },
    { lines: [`Client: ${hasClient ? "removed" : "included"}.`] },
  ];

  test.each([...updates, toggle])(
    "`update` with %s does what its dry run reports, as in a new project, and an undo restores it",
    async (_, options, effect) => {
      const project = copyProject(name);
      const before = contents(project);
      const dry = await update(project, { ...options, dryRun: true });
      expect([dry.code, changedBetween(before, contents(project))]).toEqual([0, []]);
      expect(existsSync(join(project, ".mcp-previous"))).toBe(false);

      const run = await update(project, options);
      expect({ ...run, stdout: toDry(run.stdout) }).toEqual(dry);
      for (const line of effect.lines ?? []) expect(run.stdout).toMatch(line);
      const after = contents(project);
      const changed = changedBetween(before, after);
      const others = changed.filter((path) => !path.startsWith("src/mcp/"));
      expect(others).toEqual(effect.files ?? []);
      expect(run.stdout).toMatch(
        new RegExp(`^src/mcp: ${changed.length - others.length} files? written or removed`, "m"),
      );

      const fresh = join(temporaryFolder(), "demo");
      await create(fresh, { client: hasClient, ...options });
      expect(changedBetween(layerOf(after), layerOf(contents(fresh)))).toEqual([]);
      expect((await update(project, { undo: true })).code).toBe(0);
      expect(changedBetween(before, contents(project))).toEqual([]);
    },
  );
});
