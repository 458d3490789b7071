import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { connectV1, connectV2, type OfficialClient, type Place } from "../kit/official-clients.ts";
import * as shell from "./shell.ts";

/** Folder with the packages, and what the creation of its project `demo` printed. */
export const tour = inject("tour");

/** Official clients, with the revision that they agree on with a project of all revisions. */
export const hosts: readonly {
  readonly name: string;
  readonly revision: string;
  readonly connect: (place: Place) => Promise<OfficialClient>;
}[] = [
  { name: "SDK v1", revision: "2025-11-25", connect: connectV1 },
  { name: "SDK v2", revision: "2026-07-28", connect: (place) => connectV2(place, "auto") },
];

/** Copies the project `demo`, installed and built, for a journey. Returns its folder. */
export function copyProject(name: string): string {
  const folder = join(tour.home, name);
  if (existsSync(folder)) throw new Error(`${folder} exists; choose another name for this journey`);
  mkdirSync(folder);
  const demo = join(tour.home, "demo");
  cpSync(demo, folder, { recursive: true, filter: (path) => !path.startsWith(join(demo, "node_modules")) });
  // Installed files are shared: nothing changes them.
  execFileSync("cp", ["-al", join(demo, "node_modules"), folder]);
  return folder;
}

/** Replaces text in a file, as an editor does. */
export function edit(path: string, from: string, to: string): void {
  const text = readFileSync(path, "utf8");
  if (!text.includes(from)) throw new Error(`${path} has no ${from}; change the journey`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}

/** Runs a command line of a guide in a folder. Returns what it wrote. */
export function run(cwd: string, line: string, code = 0): Promise<string> {
  return shell.run(installed(line), { cwd, tour, code });
}

/** Starts a command line of a guide in a folder. It ends with the test at the latest. */
export function start(cwd: string, line: string): shell.RunningCommand {
  const running = shell.start(installed(line), { cwd, tour });
  onTestFinished(running.kill);
  return running;
}

/** Runs a command line in a pseudo terminal, and types keys when their cues are shown. Returns what it showed. */
export async function type(
  cwd: string,
  line: string,
  steps: readonly (readonly [cue: RegExp, keys: string])[],
): Promise<string> {
  const running = shell.startInTerminal(line, { cwd, tour });
  onTestFinished(running.kill);
  for (const [cue, keys] of steps) {
    await running.until(cue);
    running.write(keys);
  }
  return running.end();
}

/** Connects a host to a server. It is closed with the test at the latest. */
export async function connect(host: (typeof hosts)[number], place: Place): Promise<OfficialClient> {
  const client = await host.connect(place);
  onTestFinished(() => client.close());
  return client;
}

/** Path of the installed program. */
export const program: string = join(tour.home, "node_modules", ".bin", "create-mcp-server");

/** Replaces `npx create-mcp-server` by the program that it starts, which saves the second that npm takes. */
function installed(line: string): string {
  return line.replace(/^npx create-mcp-server(@latest)?(?= )/, program);
}
