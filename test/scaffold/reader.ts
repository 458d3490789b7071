import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { runCli } from "../kit/programs.ts";
import type { Step } from "./guide.ts";

/** Somebody who does what a guide says. */
export class Reader {
  /** Folder of the projects. */
  folder: string;
  /** Modules that were shown on their own. */
  readonly modules: string[] = [];
  /** Projects that were made. */
  readonly projects: string[] = [];
  /** Tests that were written. */
  readonly tests: string[] = [];

  constructor(folder: string) {
    this.folder = folder;
  }

  async follow(step: Step): Promise<void> {
    switch (step.kind) {
      case "file":
        return this.#write(step.path, step.text);
      case "module":
        return void this.modules.push(step.text);
      case "shell":
        return this.#type(step);
      default:
        return step satisfies never;
    }
  }

  #write(path: string, text: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (path.endsWith(".test.ts")) this.tests.push(file);
  }

  async #type({ lines, prints }: Extract<Step, { readonly kind: "shell" }>): Promise<void> {
    let printed = "";
    for (const line of lines) printed += await this.#run(line);
    for (const line of prints) expect(squeeze(printed)).toMatch(toPattern(line));
  }

  async #run(line: string): Promise<string> {
    const [, words] = /^npx create-mcp-server(?:@latest)? (.*)$/.exec(line) ?? [];
    if (words !== undefined) return this.#create(words.split(/\s+/));
    const [, folder] = /^cd (\S+)$/.exec(line) ?? [];
    if (folder !== undefined) this.folder = join(this.folder, folder);
    else if (/^npm (test|run build)$/.test(line)) await buildProject(this.folder);
    // The other commands are those of a project, which is tested when the guide is through.
    else expect(line).toMatch(/^(?:[A-Z_]+=\S+ )*(npm|claude|curl|docker|node|npx (wrangler|@modelcontextprotocol)) ?/);
    return "";
  }

  async #create(words: readonly string[]): Promise<string> {
    if (words.some((word) => exampleHost.test(word))) return this.#explain(words);
    const isProject = !commands.includes(words[0] ?? "");
    const given = isProject ? [...words, "--yes", "--no-install", "--no-git"] : words;
    const { code, stdout, stderr } = await runCli(given, { cwd: this.folder });
    const isFailure = code !== 0 && !given.includes("--check");
    expect(isFailure ? stdout + stderr : "", words.join(" ")).toBe("");
    if (isProject) this.#install(join(this.folder, words[0] ?? ""));
    return stdout + stderr;
  }

  /** Checks that a command has the options with which a guide calls it at the address of an example, where no server is. */
  async #explain([command = "", ...words]: readonly string[]): Promise<string> {
    const { stdout } = await runCli([command, "--help"], { cwd: this.folder });
    const flags = words.filter((word) => word.startsWith("--"));
    for (const flag of flags) expect(stdout, command).toContain(flag);
    return "";
  }

  /** Everything that projects depend on is installed here, too; what a guide adds is one of our packages. */
  #install(project: string): void {
    this.projects.push(project);
    const modules = join(project, "node_modules");
    mkdirSync(modules);
    for (const name of readdirSync(join(packageRoot, "node_modules")))
      symlinkSync(join(packageRoot, "node_modules", name), join(modules, name));
    symlinkSync(packageRoot, join(modules, "create-mcp-server"));
    symlinkSync(join(packageRoot, "dist", "runtime-package"), join(modules, "mcp-server-runtime"));
  }
}

/** Makes the bundle of a project; its types are checked when the guide is through. */
export async function buildProject(folder: string): Promise<void> {
  await promisify(execFile)(process.execPath, ["build.js"], { cwd: folder });
}

const commands = [
  "add",
  "check",
  "client",
  "diff",
  "docs",
  "explain",
  "gateway",
  "generate",
  "inspect",
  "model",
  "pin",
  "remove",
  "replay",
  "settings",
  "update",
];

/** Lines are broken and filled as the terminal has it. */
function squeeze(text: string): string {
  return text.replace(/\s+/g, " ");
}

function toPattern(line: string): RegExp {
  const parts = squeeze(line.trim())
    .split("…")
    .map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(parts.join(".*"));
}

/** Matches URLs of hosts that are reserved for examples. */
const exampleHost = /^https:\/\/(?:[\w-]+\.)*example(?:\.com|\.org)?\//;
