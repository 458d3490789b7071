import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { SelectionText } from "../../../generator/scaffold/create/project-choices.ts";
import { allRevisions, emitFiles, linkPackages, writeFiles } from "../../kit/projects.ts";

/** A project of which `npm run dev` can be started, without an installation. */
export interface DevProject {
  readonly folder: string;
  /** Writes files below `src/`, as an editor does when it saves them. */
  save(files: Readonly<Record<string, string>>): void;
  remove(): void;
}

/** Emits a project for the two newest revisions, and writes these files below its `src/`. */
export async function createDevProject(
  selection: SelectionText,
  files: Readonly<Record<string, string>>,
): Promise<DevProject> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "dev-")));
  writeFiles(folder, await emitFiles({ selection, revisions: allRevisions.slice(0, 2) }));
  linkPackages(folder, ["esbuild", "@esbuild", "zod"]);
  // In one step each: otherwise the server may read a file while it is empty.
  const save = (sources: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(sources)) {
      writeFiles(folder, [["saved", text]]);
      renameSync(join(folder, "saved"), join(folder, "src", name));
    }
  };
  save(files);
  return { folder, save, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Arguments of Node.js that start the development server of a project in its folder. */
export const devArgs: readonly string[] = ["build.js", "--watch"];

/** A development server that listens for HTTP. */
export interface DevProcess {
  readonly child: ChildProcess;
  /** Everything that it has written to stderr. */
  readonly log: () => string;
  /** Waits for text on stderr, and returns the first group of the pattern. */
  said(pattern: RegExp): Promise<string>;
  /** Ends it as Ctrl-C does. Resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts the development server of a project. */
export function startDev({ folder }: DevProject, ...args: readonly string[]): DevProcess {
  const child = spawn(process.execPath, [...devArgs, ...args], { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  return {
    child,
    log: () => log,
    async said(pattern) {
      await vi.waitFor(() => expect(log).toMatch(pattern), { timeout: 60_000, interval: 20 });
      return pattern.exec(log)?.[1] ?? "";
    },
    stop() {
      child.kill("SIGINT");
      return ended;
    },
  };
}

/** Pattern of the address that a server over HTTP prints. */
export const address: RegExp = /is served at (\S+)/;
