// W14 compile time: what the compiler of TypeScript 7 needs to check a server with 600 tools, beside their schemas alone.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { NODE } from "../lib/child.mjs";
import { compiler } from "../lib/language-server.mjs";
import { createProject, linkModules } from "../lib/project.mjs";
import { guard } from "../lib/quiet.mjs";
import { table } from "../lib/report.mjs";
import { CACHE } from "../lib/schema.mjs";
import { fold, mapValues } from "../lib/stats.mjs";

export const title = "compile time of 600 tools";
export const applies = (a) => !!a.toolTypes;

export const COUNT = 600;

/** Settings of a new project. Node's types are left out: they cost every contestant the same. */
const compilerOptions = {
  target: "ES2023",
  lib: ["ES2023"],
  module: "NodeNext",
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

/** Text of the tools. Each has names and limits of its own, so that no two share their types. */
const toolsOf = (one) => Array.from({ length: COUNT }, (_value, n) => one(n)).join("\n");

/** Makes the project of a contestant. */
export async function prepare(a) {
  const folder = path.join(CACHE, "types", a.id);
  rmSync(folder, { recursive: true, force: true });
  if (a.toolTypes.flags) await createProject(folder, a.toolTypes.flags);
  mkdirSync(path.join(folder, "src"), { recursive: true });
  if (!existsSync(path.join(folder, "package.json")))
    writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
  linkModules(folder);
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src/server.ts"] }));
  const { before, tool, after = () => "" } = a.toolTypes;
  writeFileSync(path.join(folder, "src", "server.ts"), [before, toolsOf(tool), after(COUNT)].join("\n"));
  return folder;
}

/** One check of the types in a process of its own. */
export function check(folder) {
  const args = [compiler, "-p", folder, "--extendedDiagnostics"];
  const text = execFileSync(NODE, args, { encoding: "utf8", maxBuffer: 1 << 26 });
  const read = (name) => {
    const [, value] = new RegExp(`^${name}:\\s+([\\d.]+)`, "m").exec(text) ?? [];
    if (value === undefined) throw new Error(`The compiler prints no ${name}:\n${text.slice(0, 500)}`);
    return Number(value);
  };
  return { seconds: read("Total time"), instantiations: read("Instantiations"), memory: read("Memory used") / 1024 };
}

/** Repeats a measurement in the project of each contestant, interleaved. One that fails is left out, with its error. */
export async function measureProjects(list, { reps, quick, log }, measure) {
  const out = {};
  const folders = new Map();
  for (let i = 0; i < (quick ? 1 : reps); i += 1)
    for (const a of list) {
      const o = (out[a.id] ??= { reps: [] });
      if (o.error) continue;
      try {
        if (!folders.has(a.id)) folders.set(a.id, await prepare(a));
        o.reps.push(await guard(async () => measure(folders.get(a.id))));
      } catch (error) {
        o.error = String(error.stdout || error.message).slice(0, 500);
        log(`${a.id}: ${o.error}`);
      }
    }
  for (const o of Object.values(out)) if (o.reps.length > 0) Object.assign(o, fold(o.reps));
  return { result: out };
}

export const run = (list, { reps = 5, ...options }) => measureProjects(list, { reps, ...options }, check);

export const figures = ({ result }) => {
  const select = (read) => mapValues(result, ({ reps }) => reps.map(read));
  return [
    {
      id: "types-seconds",
      subject: "ours",
      title: `Time to check the types of a server with ${COUNT} tools, TypeScript 7`,
      unit: "s",
      better: "lower",
      values: select(({ seconds }) => seconds),
    },
    {
      id: "types-memory",
      subject: "ours",
      title: `Memory of the compiler for a server with ${COUNT} tools`,
      unit: "MiB",
      better: "lower",
      isSteady: true,
      values: select(({ memory }) => memory),
    },
  ];
};

export function render({ result }, list) {
  const rows = list.flatMap((a) => {
    const m = result[a.id]?.median;
    return m ? [[a.label, m.seconds, m.instantiations, m.memory]] : [];
  });
  return table(["tools of", "s", "instantiations", "MiB"], rows);
}
