import { execFile, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOtlpReceiver, type OtlpReceiver } from "../../../runtime/adapters/open-telemetry/otlp-receiver.ts";
import { send } from "../../../kit/http-exchange.ts";
import { initialize } from "../../../kit/messages.ts";
import { emitFiles, linkPackages, writeFiles } from "../../../kit/projects.ts";

const children: ChildProcessWithoutNullStreams[] = [];
let folder = "";
let receiver: OtlpReceiver;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  folder = realpathSync(mkdtempSync(join(tmpdir(), "create-")));
  writeFiles(folder, await emitFiles({ folder, selection: { extras: "otel", transport: "both" } }));
  linkPackages(folder, ["esbuild", "@esbuild", "zod", "@opentelemetry", "express", "fastify", "hono", "@hono"]);
  await promisify(execFile)(process.execPath, ["build.js"], { cwd: folder });
});

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  project = folder,
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [join(project, "dist", "server.js"), ...args], {
    env: { ...process.env, ...env },
  });
  children.push(child);
  return child;
}

const call = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "measure_text", arguments: { text: "a secret" } },
};
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
const lines = [initialize("2025-11-25"), initialized, call].map((message) => `${JSON.stringify(message)}\n`).join("");

/** Calls the tool on stdio, and returns what the server has written when it has ended. */
async function callOnStdio(
  env: Readonly<Record<string, string>>,
): Promise<{ readonly output: string; readonly log: string }> {
  const child = start([], env);
  child.stdin.write(lines);
  // The end of stdin ends the server, which must have read the call.
  const output = text(child.stdout);
  child.stdin.end();
  return { output: await output, log: await text(child.stderr) };
}

test("a server on stdio exports before it ends, and writes nothing but messages", async () => {
  const { output, log } = await callOnStdio({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SERVICE_NAME: "named" });
  const messages: unknown[] = output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(messages).toContainEqual(expect.objectContaining({ id: 1, result: expect.anything() }));
  expect(log).toBe("");
  expect(receiver.spans.find(({ name }) => name === "tools/call measure_text")).toMatchObject({
    service: "named",
    kind: "server",
    attributes: { "network.transport": "pipe", "gen_ai.tool.name": "measure_text" },
  });
  expect(JSON.stringify(receiver.spans)).not.toContain("a secret");
  expect([...receiver.metrics]).toEqual(
    expect.arrayContaining(["mcp.server.operation.duration", "mcp.server.session.duration"]),
  );
});

/** Initializes a session with a server that listens on a port, and ends the server with the signal of an orchestrator. */
async function initializeAndTerminate(child: ChildProcessWithoutNullStreams): Promise<void> {
  const [line] = await once(child.stderr, "data");
  const [url = ""] = /http:\S+/.exec(String(line)) ?? [];
  expect((await send(url, undefined, { body: initialize("2025-11-25") })).status).toBe(200);
  const exited = once(child, "exit");
  child.kill();
  expect(await exited).toEqual([0, null]);
}

test("a server over HTTP exports when it is terminated", async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SERVICE_NAME: "over-http" };
  await initializeAndTerminate(start(["--http", "0"], env));
  expect(receiver.spans.filter(({ service }) => service === "over-http")).toMatchObject([
    { name: "initialize", attributes: { "network.transport": "tcp", "mcp.protocol.version": "2025-11-25" } },
  ]);
});

test.each(["express", "fastify", "hono"])("a server mounted in %s exports when it is terminated", async (mount) => {
  const mounted = mkdtempSync(join(folder, "mounted-"));
  writeFiles(mounted, await emitFiles({ folder: mounted, selection: { extras: "otel", mount } }));
  await promisify(execFile)(process.execPath, ["build.js"], { cwd: mounted });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SERVICE_NAME: mount, PORT: "0" };
  await initializeAndTerminate(start([], env, mounted));
  expect(receiver.spans.filter(({ service }) => service === mount)).toMatchObject([{ name: "initialize" }]);
});

test("a receiver that is away is a warning on stderr, and the server serves", async () => {
  const { output, log } = await callOnStdio({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" });
  expect(output).toContain('"id":1');
  expect(log).toMatch(/ECONNREFUSED|telemetry/);
});

test.each([
  { OTEL_EXPORTER_OTLP_ENDPOINT: "" },
  { OTEL_EXPORTER_OTLP_ENDPOINT: "x", OTEL_SDK_DISABLED: "true" },
  { OTEL_EXPORTER_OTLP_ENDPOINT: "x", OTEL_SDK_DISABLED: "TRUE" },
])("nothing is exported with %j", async (env) => {
  const { output, log } = await callOnStdio(env);
  expect(output).toContain('"id":1');
  expect(log).toBe("");
});
