import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatTypeScript } from "../../internal/format.ts";
import { packageRoot } from "../../internal/package-info.ts";
import { loadTemplates } from "../../internal/templates.ts";
import type { Drift } from "../../internal/tree.ts";
import { buildScript, buildTemplate, emitBuildScript } from "../create/build-script.ts";
import type { DeployTarget } from "../create/deploy-target.ts";

/*
 * Projects used to contain the whole build: `build.js`, `notices.js` and, except for workers, `external.js`. An update replaces them by a script that
 * calls the build of the runtime. Lists of entry points and external packages, which users edit, are kept; any other edit keeps the files.
 */

/** Build of a project, as an update sees it. */
export interface FormerBuild {
  /** Files to replace or to remove; empty if there are none. */
  readonly drifts: readonly Drift[];
  /** Replaces and removes them. */
  replace(): Promise<void>;
  /** Files edited by hand. They stay. */
  readonly edited: readonly string[];
}

/** Files used by the former build only, with their hashes. */
const helpers: { readonly [path: string]: string } = {
  "external.js": "124670b379a4a7351fef56c041e7b036b02f84a2ec343c535b544ed98ab3f845",
  "notices.js": "aff634956d40c2f84c7bb39386355e7f47f03df7b38c1effbecd0237396cce68",
};

/** Hashes of former scripts with empty lists, and their targets. Bun and Deno had the same script. */
const scripts: ReadonlyMap<string, DeployTarget> = new Map([
  ["1a307b01d08b6ee3165a95627d7273e8c67e4c40db8b844c1f4aa17499fd4e21", "node"],
  ["a77d87301c1c1fb6ea775579cc628cc262ab2c4202839fe671465b4a4aeb0770", "worker"],
  ["6fa03c6b43d224537f84bb051bddade143d8594b04c587d4f494869930b9dbf9", "lambda"],
  ["7c9b44d483f3f4b8273e4e394bd98698aca4d4464b31ca0050994d74088fcafd", "vercel"],
  ["d5e7de41cdc666999cd869fc4667e60b8d0008cb6c1738d471d17009464294a5", "deno"],
]);

/** Reads whether a project contains the former build. */
export async function readFormerBuild(project: string): Promise<FormerBuild> {
  const paths = [buildScript, ...Object.keys(helpers)];
  const texts = new Map(await Promise.all(paths.map((path) => readText(project, path))));
  const script = texts.get(buildScript);
  const nothing = { drifts: [], edited: [], replace: () => Promise.resolve() };
  if (!script?.includes('from "./notices.js"')) return nothing;
  const target = scripts.get(hashOf(withoutLists(script)));
  const present = Object.keys(helpers).filter((path) => texts.get(path) !== undefined);
  const changed = present.filter((path) => hashOf(texts.get(path) ?? "") !== helpers[path]);
  const edited = [...(target === undefined ? [buildScript] : []), ...changed];
  if (target === undefined || edited.length > 0) return { ...nothing, edited };
  const templates = loadTemplates(join(packageRoot, "templates"), [buildTemplate]);
  const [external, entries] = [listOf(script, "external"), listOf(script, "entryPoints")];
  const next = { target, entries, external };
  return {
    edited,
    drifts: [{ kind: "changed", path: buildScript }, ...present.map((path): Drift => ({ kind: "orphaned", path }))],
    async replace() {
      await writeFile(join(project, buildScript), await formatTypeScript(emitBuildScript(next, templates)));
      for (const path of present) await rm(join(project, path), { force: true });
    },
  };
}

async function readText(project: string, path: string): Promise<[string, string | undefined]> {
  const text = await readFile(join(project, path), "utf8").catch(() => undefined);
  return [path, text?.replaceAll("\r\n", "\n")];
}

/** Returns the list behind a member of the options. Workers have no external packages. */
function listOf(script: string, member: "entryPoints" | "external"): string {
  return new RegExp(`\\b${member}: (\\[[^\\]]*\\])`).exec(script)?.[1] ?? "[]";
}

function withoutLists(script: string): string {
  return script
    .replace(/\bentryPoints: \[[^\]]*\]/, "entryPoints: []")
    .replace(/\bexternal: \[[^\]]*\]/, "external: []");
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
