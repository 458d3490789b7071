// W17 commands: the time of each command as a user waits for it, beside `node -e 0`. With --npm also what needs npm's registry or its cache.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { NODE, stop, track } from "../lib/child.mjs";
import { cli, installed, linkProject, timeCommand, timeNothing, timeProgram } from "../lib/commands.mjs";
import { guard } from "../lib/quiet.mjs";
import { table } from "../lib/report.mjs";
import { CACHE } from "../lib/schema.mjs";
import { fold, median } from "../lib/stats.mjs";

export const title = "times of commands";
export const applies = (a) => a.id === "ours" || a.id === "floor";

const work = path.join(CACHE, "commands");
const at = (...names) => path.join(work, ...names);
const spec = fileURLToPath(new URL("../../spec", import.meta.url));
/** The largest OpenAPI document that others have published and that the tests use. */
const document = path.join(installed, "@directus", "specs", "dist", "openapi.json");
const revision = "2025-11-25";
const create = (folder, ...flags) => timeCommand([folder, "--yes", "--no-install", "--no-git", ...flags]);

/** A new project that is built, with the packages of this repository. */
async function prepareProject(name, ...flags) {
  await create(at(name), ...flags);
  linkProject(at(name));
  await timeProgram(NODE, ["build.js"], { cwd: at(name) });
}

/** Starts the server of a project over HTTP. It is idle while other commands are measured. */
async function serve(name) {
  const env = { ...process.env, PORT: "0" };
  const child = track(spawn(NODE, ["dist/server.js"], { cwd: at(name), env, stdio: ["ignore", "ignore", "pipe"] }));
  return new Promise((resolve, reject) => {
    let log = "";
    child.stderr.on("data", (text) => {
      log += text;
      const [url] = /http:\S+\/mcp\b/.exec(log) ?? [];
      if (url) resolve({ child, url });
    });
    child.on("exit", () => reject(new Error(`The server of ${name} did not start: ${log}`)));
  });
}

/** Projects and folders that the commands work on; not measured. */
async function prepare() {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  await prepareProject("demo");
  await prepareProject("http", "--transport", "http");
  await prepareProject("tools", "--transport", "both");
  for (let tool = 2; tool <= 7; tool += 1) await timeCommand(["add", "tool", `tool-${tool}`], { cwd: at("tools") });
  cpSync(spec, at("spec"), { recursive: true });
}

const inProject = (args, project = "demo") => timeCommand(args, { cwd: at(project) });
/** Removes what the repetition before has written; not measured. */
const without = (...names) => rmSync(at(...names), { recursive: true, force: true });

/** Each command with the preparation of a repetition. */
const commands = [
  { id: "create", title: "`create --yes` without npm", before: () => without("new"), run: () => create(at("new")) },
  {
    id: "client",
    title: "`client` of a server over stdio",
    before: () => without("demo", "src", "demo-client"),
    run: () => inProject(["client", "dist/server.js"]),
  },
  {
    id: "explain",
    title: "`explain`",
    run: () => inProject(["explain", "dist/server.js", "--protocol", "2024-11-05"]),
  },
  {
    id: "diff",
    title: "`diff` of two servers",
    run: () => inProject(["diff", "dist/server.js", "node dist/server.js"]),
  },
  { id: "update", title: "`update --dry-run`", run: () => inProject(["update", "--dry-run"]) },
  {
    id: "update-protocol",
    title: "`update --dry-run --protocol latest`",
    run: () => inProject(["update", "--dry-run", "--protocol", "latest"]),
  },
  {
    id: "add-openapi",
    title: "`add openapi` of a document with 136 operations",
    before() {
      without("api");
      cpSync(at("demo"), at("api"), { recursive: true, verbatimSymlinks: true });
    },
    run: () => inProject(["add", "openapi", document, "--as", "directus", "--only", "*"], "api"),
  },
  {
    id: "pin",
    title: "`pin` of a schema",
    run: () =>
      timeCommand(["pin", revision, "--from", path.join(spec, revision, "schema.ts"), "--spec", at("spec"), "--force"]),
  },
  {
    id: "generate",
    title: "`generate` of all revisions",
    before: () => without("generated"),
    run: () => timeCommand(["generate", "--out", at("generated")]),
  },
  { id: "check", title: "`check` of a new project's server, stdio", run: () => inProject(["check", "dist/server.js"]) },
  { id: "check-http", title: "`check` of a new project's server, HTTP", run: ({ url }) => timeCommand(["check", url]) },
  { id: "test", title: "`npm test` of a new project", run: () => timeProgram("npm", ["test"], { cwd: at("demo") }) },
  {
    id: "test-tools",
    title: "`npm test` with 7 tools at 5 revisions over both transports",
    run: () => timeProgram("npm", ["test"], { cwd: at("tools") }),
  },
];

/** With --npm: from nothing to a built project that has answered a first call, with a warm cache. */
const installing = {
  id: "first-call",
  title: "`create --yes` to the answered call, warm cache",
  before: () => without("installed"),
  run: () => timeProgram(NODE, [cli, at("installed"), "--yes", "--no-git"]),
};

export async function run(list, { reps = 5, quick, npm, commands: names, log }) {
  const out = {};
  const possible = npm ? [...commands, installing] : commands;
  const measured = possible.filter(({ id }) => !names || names.split(",").includes(id));
  await prepare();
  const server = await serve("http");
  // The first installation fills the cache.
  if (npm) await installing.run();
  for (let i = 0; i < (quick ? 1 : reps); i += 1)
    for (const { id, before, run: runCommand } of measured) {
      const o = (out[id] ??= { reps: [] });
      if (o.error) continue;
      try {
        const nothing = await guard(timeNothing);
        const own = await guard(() => {
          before?.();
          return runCommand(server);
        });
        o.reps.push({ ...own, nothingWall: nothing.wall, nothingCpu: nothing.cpu });
      } catch (error) {
        o.error = error.message;
        log(`${id}: ${error.message}`);
      }
    }
  await stop(server.child);
  for (const o of Object.values(out)) if (o.reps.length > 0) Object.assign(o, fold(o.reps));
  return { result: out };
}

const titles = Object.fromEntries([...commands, installing].map((one) => [one.id, one.title]));

export const figures = ({ result }) =>
  Object.entries(result).flatMap(([id, { reps }]) => {
    const select = (own, floor) => ({ ours: reps.map((one) => one[own]), floor: reps.map((one) => one[floor]) });
    const common = { subject: "ours", unit: "s", better: "lower" };
    return [
      { ...common, id: `command-${id}`, title: titles[id], values: select("wall", "nothingWall") },
      {
        ...common,
        id: `command-${id}-cpu`,
        title: `Processor time of ${titles[id]}`,
        values: select("cpu", "nothingCpu"),
      },
    ];
  });

export function render({ result }) {
  const rows = Object.entries(result).flatMap(([id, { reps, median: m }]) =>
    m ? [[titles[id], m.wall, m.cpu, median(reps.map(({ wall, nothingWall }) => wall / nothingWall))]] : [],
  );
  return table(["command", "s", "CPU s", "of `node -e 0`"], rows);
}
