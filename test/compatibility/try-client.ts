import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Declarations } from "../../generated/2025-11-25/index.ts";
import { revisions } from "../../generated/revisions.ts";
import { isObject } from "../../generated/support.ts";
import { forRevisions } from "../../runtime/server/for-revisions.ts";
import type { Server } from "../../runtime/server/create-server.ts";
import type { ServeHttpOptions } from "../../runtime/server/run/http-handler.ts";
import { serveHttp } from "../../runtime/server/run/serve-http.ts";
import { runProgram } from "../matrix/tools.ts";

/** A package of the registry with a client, which an adapter of `client.mjs` uses. */
export interface ClientPackage {
  readonly package: string;
  /** Packages that are installed with it. */
  readonly with?: readonly string[];
}

/** Folder and Node of a run. */
export interface ClientWorkshop {
  /** Empty folder. */
  readonly root: string;
  /** Path of the Node that runs clients. */
  readonly node: string;
}

/** Outcome of a client with a server of ours. */
export interface ClientResult {
  readonly package: string;
  readonly version: string;
  readonly with: readonly string[];
  /** Revision of its calls. */
  readonly revision: string;
  /** Steps that failed, and why. */
  readonly problems: readonly string[];
  readonly progress: Progress;
  /** What the client does after a restart of the server. */
  readonly restart: Restart;
  /** The same without sessions. */
  readonly statelessRestart: Restart;
}

/** Number of progress notifications of three that the caller got, and whether the client asked for them. */
export interface Progress {
  readonly requested: boolean;
  readonly heard: number;
}

/** What a client does after a restart of the server. */
export type Restart = Recovery | `fails once, then ${Recovery}` | "fails until it connects again" | "fails";

type Recovery = "goes on" | "opens a new session";

/** What a server has seen of its client since it was started. */
interface Seen {
  revision: string;
  handshakes: number;
  progressRequested: boolean;
}

/** Outcome of a step. */
interface Step {
  readonly name: string;
  readonly problem?: string;
  readonly heard?: number;
}

/** Limit of a child process, in milliseconds. */
const timeLimit = 60_000;

/** Installs a client and tries it with a server of ours, with sessions and without. */
export async function tryClient(client: ClientPackage, { root, node }: ClientWorkshop): Promise<ClientResult> {
  const { package: name, with: others = [] } = client;
  const folder = join(root, name.replaceAll(/[^\w-]/g, "_"));
  const place = { name, folder, node };
  const version = await install([name, ...others], place);
  const { steps, seen, restart } = await runSteps({ ...place, sessions: true });
  const stateless = await runSteps({ ...place, sessions: false });
  const heard = steps.find(({ name: step }) => step === "progress")?.heard ?? 0;
  return {
    package: name,
    version,
    with: others,
    revision: seen.revision,
    problems: [
      ...listProblems(steps),
      ...listProblems(stateless.steps).map((problem) => `without sessions, ${problem}`),
    ],
    progress: { requested: seen.progressRequested, heard },
    restart,
    statelessRestart: stateless.restart,
  };
}

function listProblems(steps: readonly Step[]): string[] {
  return steps.flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name}: ${problem}`]));
}

async function install(packages: readonly string[], { name, folder, node }: Place): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "home"), { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await runProgram("npm", ["install", ...flags, ...packages], { cwd: folder, node });
  await copyFile(join(import.meta.dirname, "client.mjs"), join(folder, "client.mjs"));
  const { version }: { readonly version: string } = JSON.parse(
    await readFile(join(folder, "node_modules", name, "package.json"), "utf8"),
  );
  return version;
}

interface Place {
  readonly name: string;
  readonly folder: string;
  readonly node: string;
}

interface Outcome {
  readonly steps: readonly Step[];
  /** What the server saw before its restart. */
  readonly seen: Seen;
  readonly restart: Restart;
}

/** Runs the steps of a client in a process of its own; the server restarts when the process asks for it. */
async function runSteps({ name, folder, node, sessions }: Place & { readonly sessions: boolean }): Promise<Outcome> {
  const options: ServeHttpOptions = sessions ? {} : { sessions: false };
  const before = createSeen();
  const after = createSeen();
  let listener = await serveHttp(createServer(before), { ...options, port: 0 });
  const { url } = listener;
  const env = { ...process.env, ...quiet, HOME: join(folder, "home") };
  const settings = { cwd: folder, env, execPath: node, execArgv: [], silent: true };
  const child = fork(join(folder, "client.mjs"), [name, url], settings);
  const timer = setTimeout(() => child.kill("SIGKILL"), timeLimit);
  const steps: Step[] = [];
  const output = collectOutput(child);
  child.on("message", async (message: unknown) => {
    if (isStep(message)) steps.push(message);
    if (message !== "restart") return;
    await listener.close();
    listener = await serveHttp(createServer(after), { ...options, port: Number(new URL(url).port) });
    child.send("restarted");
  });
  const [code, signal]: readonly unknown[] = await once(child, "close");
  clearTimeout(timer);
  await listener.close();
  const ended =
    code === 0 ? [] : [{ name: "process", problem: signal === "SIGKILL" ? "no end within 60 s" : output() }];
  const found = steps.filter(({ name: step }) => !step.startsWith("restart "));
  return { steps: [...found, ...ended], seen: before, restart: toRestart(steps, after) };
}

function toRestart(steps: readonly Step[], { handshakes }: Seen): Restart {
  const works = (step: string): boolean =>
    steps.some(({ name, problem }) => name === `restart ${step}` && problem === undefined);
  const recovery = handshakes > 0 ? "opens a new session" : "goes on";
  if (works("first")) return recovery;
  if (works("second")) return `fails once, then ${recovery}`;
  return works("again") ? "fails until it connects again" : "fails";
}

/** Settings with which clients send no reports of their use. */
const quiet: Readonly<Record<string, string>> = {
  NO_COLOR: "1",
  DO_NOT_TRACK: "1",
  OPENAI_AGENTS_DISABLE_TRACING: "1",
  MASTRA_TELEMETRY_DISABLED: "1",
};

function collectOutput(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return () => text.trim().split("\n").slice(-5).join(" ").slice(0, 500);
}

function isStep(message: unknown): message is Step {
  return isObject(message) && typeof message.name === "string";
}

function createSeen(): Seen {
  return { revision: "none", handshakes: 0, progressRequested: false };
}

/** The server of the steps, at every revision. */
function createServer(seen: Seen): Server {
  const { defineServer, defineTool } = forRevisions<Declarations>(revisions);
  return defineServer({
    name: "tried",
    version: "1",
    middleware: [
      ({ method, params, context }, next) => {
        if (method === "initialize") seen.handshakes += 1;
        if (method !== "tools/call") return next();
        seen.revision = context.revision;
        const meta = isObject(params) ? params._meta : undefined;
        seen.progressRequested ||= isObject(meta) && meta.progressToken !== undefined;
        return next();
      },
    ],
    tools: [
      defineTool({ name: "echo", inputSchema: z.object({ text: z.string() }), execute: ({ text }) => text }),
      defineTool({
        name: "fail",
        execute: () => ({ content: [{ type: "text", text: "the tool has failed" }], isError: true }),
      }),
      defineTool({ name: "large", execute: () => "x".repeat(1_000_000) }),
      defineTool({
        name: "progress",
        async execute(_args, { progress }) {
          for (const step of [1, 2, 3]) await progress(step, 3);
          // Official clients lose progress that comes in one piece with the result.
          await sleep(150);
          return "done";
        },
      }),
    ],
  });
}
