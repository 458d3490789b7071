// From an empty folder to the answer of a first call, npm's cache warm: `node first-call.mjs [--reps=5] [other.tgz ...]`
import { execFile, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const work = mkdtempSync(path.join(tmpdir(), "first-call-"));
const cache = path.join(work, "cache");
const env = { ...process.env, npm_config_cache: cache, npm_config_audit: "false", npm_config_fund: "false" };

const words = process.argv.slice(2);
const reps = Number(words.find((word) => word.startsWith("--reps="))?.slice(7) ?? 5);
const tarballs = words.filter((word) => word.endsWith(".tgz")).map((file) => path.resolve(file));

const peers = [
  {
    label: "create-xmcp-app",
    create: ["create-xmcp-app@latest", "demo", "--yes", "--stdio"],
    // With --skip-install it writes versions that do not go together.
    installs: true,
    program: "dist/stdio.js",
    call: { name: "greet", arguments: { name: "you" } },
  },
  {
    label: "@modelcontextprotocol/create-server",
    create: ["@modelcontextprotocol/create-server", "demo", "--name", "demo", "--description", "demo"],
    // Its installation builds it.
    builds: true,
    program: "build/index.js",
    call: { name: "create_note", arguments: { title: "a", content: "b" } },
  },
];

const contestants = [...(await Promise.all([pack(), ...tarballs].map(ours))), ...peers];
const phases = ["create", "install", "build", "call"];
const rows = new Map(contestants.map(({ label }) => [label, []]));
for (let rep = 0; rep <= reps; rep++)
  for (const contestant of contestants) {
    const times = await measure(contestant);
    // The first round fills the cache.
    if (rep > 0) rows.get(contestant.label).push(times);
  }
console.log(`| seconds | npx and ${phases.join(" | ")} | all |\n| --- |${" ---: |".repeat(phases.length + 1)}`);
for (const [label, times] of rows) {
  const cells = phases.map((phase) => median(times.map((time) => time[phase])));
  const all = median(times.map((time) => phases.reduce((sum, phase) => sum + time[phase], 0)));
  console.log(`| ${label} | ${[...cells, all].map((seconds) => seconds.toFixed(1)).join(" | ")} |`);
}
rmSync(work, { recursive: true });
process.exit();

function pack() {
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", work], { cwd: root });
  const { name, version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  return path.join(work, `${name}-${version}.tgz`);
}

async function ours(tarball) {
  return {
    label: tarball.startsWith(work) ? "create-mcp-server" : path.basename(path.dirname(tarball)),
    registry: await serve(tarball),
    create: ["create-mcp-server", "demo", "--yes", "--no-install"],
    // As it installs where it is not told not to.
    installFlags: ["--prefer-offline"],
    program: "dist/server.js",
    call: { name: "measure_text", arguments: { text: "Hello, world" } },
  };
}

async function measure({ label, registry, create, installs, installFlags = [], builds, program, call }) {
  const home = path.join(work, "home");
  const folder = path.join(home, "demo");
  rmSync(home, { recursive: true, force: true });
  rmSync(path.join(cache, "_npx"), { recursive: true, force: true });
  mkdirSync(home);
  const variables = registry ? { ...env, npm_config_registry: registry } : env;
  const times = {
    create: await time(() => run("npx", ["--yes", ...create], { cwd: home, env: variables })),
    install: installs ? 0 : await time(() => run("npm", ["install", ...installFlags], { cwd: folder, env })),
    build: builds ? 0 : await time(() => run("npm", ["run", "build"], { cwd: folder, env })),
    call: await time(() => ask(path.join(folder, program), call)),
  };
  console.error(label, times);
  return times;
}

async function time(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** Serves a registry that has one package; whatever else is wanted is at the public one. Resolves to its address. */
async function serve(tarball) {
  const bytes = readFileSync(tarball);
  const manifest = JSON.parse(execFileSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" }));
  const { name, version } = manifest;
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const server = createServer(({ url = "" }, response) => {
    const dist = { tarball: `${address}${name}/-/${name}-${version}.tgz`, integrity };
    const packument = { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
    if (url === `/${name}`) response.end(JSON.stringify(packument));
    else if (url.startsWith(`/${name}/-/`)) response.end(bytes);
    else response.writeHead(302, { location: `https://registry.npmjs.org${url}` }).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = `http://127.0.0.1:${server.address().port}/`;
  return address;
}

/** Calls a tool of a server as a client of 2025-06-18 would; ends when the answer is there. */
async function ask(program, params) {
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "first-call", version: "1" };
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  await lines.next();
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/call", params });
  const { value = "{}" } = await lines.next();
  child.kill();
  if (!JSON.parse(value).result?.content?.[0]?.text) throw new Error(`${program} did not answer: ${value}`);
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
