// Commands of this package as a user runs them, with the wall and processor time of the whole process tree.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { NODE } from "./child.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const cli = path.join(root, "dist", "bundle", "generator", "cli.js");
export const installed = path.join(root, "node_modules");

/** Linux: processor time of all children of this process that have ended, with theirs, in seconds. The kernel counts in 10 ms. */
function childSeconds() {
  try {
    const f = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return (Number(f[13]) + Number(f[14])) / 100;
  } catch {
    return NaN;
  }
}

/** Runs a program to its end and returns its times in seconds. No other child of this process may run meanwhile. */
export function timeProgram(command, args, { cwd } = {}) {
  return new Promise((resolve, reject) => {
    const [cpu, start] = [childSeconds(), performance.now()];
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (text += data));
    child.on("error", reject);
    child.on("close", (code) => {
      const times = { wall: (performance.now() - start) / 1000, cpu: childSeconds() - cpu };
      if (code === 0) resolve(times);
      else reject(new Error(`${[command, ...args].join(" ")}: exit ${code}: ${text.slice(-800)}`));
    });
  });
}

/** A command of this package. */
export const timeCommand = (args, options) => timeProgram(NODE, [cli, ...args], options);

/** The least that a program of Node takes. */
export const timeNothing = () => timeProgram(NODE, ["-e", "0"]);

/** Links what `npm install` would install in a new project, from the packages of the repository, and the runtime as it was built here. */
export function linkProject(folder) {
  const modules = path.join(folder, "node_modules");
  const link = (to, name) => symlinkSync(to, path.join(modules, name), "junction");
  mkdirSync(path.join(modules, ".bin"), { recursive: true });
  // The repository has two compilers; new projects use the newer one.
  const others = [".bin", "create-mcp-server", "mcp-server-runtime", "typescript"];
  for (const name of readdirSync(installed)) if (!others.includes(name)) link(path.join(installed, name), name);
  // Copied, because Vitest transforms modules outside of node_modules, and a link is resolved to its target.
  cpSync(path.join(root, "dist", "runtime-package"), path.join(modules, "mcp-server-runtime"), { recursive: true });
  link(path.join(installed, "typescript7"), "typescript");
  for (const [name, file] of [
    ["tsc", "typescript7/bin/tsc"],
    ["vitest", "vitest/vitest.mjs"],
  ])
    symlinkSync(path.join(installed, file), path.join(modules, ".bin", name));
}
