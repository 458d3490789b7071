// This project: the generated checks, the runtime and the generator, from ../dist (run `npm run build` there first). Its stdio server is
// a new project, built as such.
import { inputSchema, outputSchema, total } from "../lib/tool-types.mjs";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildOurs, linkModules, projectCommand } from "../lib/project.mjs";

const dist = (file) => new URL(`../../dist/${file}`, import.meta.url);

/** A module of the build. */
export const load = (file) => import(dist(file));

const root = (file) => new URL(`../../${file}`, import.meta.url);

async function validators(rev) {
  const checks = await import(dist(`generated/${rev}/validate.js`));
  const { checkRequestId } = checks;
  return (e) => {
    const check = checks[`check${e.type}`];
    if (e.kind !== "result") return (m) => check(m) === undefined;
    return (m) =>
      typeof m === "object" &&
      m !== null &&
      m.jsonrpc === "2.0" &&
      checkRequestId(m.id) === undefined &&
      check(m.result) === undefined;
  };
}

const info = { name: "bench", version: "1.0.0" };

/** The newest revision that opens with a handshake. */
const handshake = "2025-11-25";

async function readRevision(id) {
  return (await load(`generated/${id}/methods.js`)).revision;
}

/** The server of the workloads, pinned to a revision, or to several. */
export async function buildServer(ids, options = {}) {
  const { forRevisions } = await load("runtime/server/for-revisions.js");
  const { z } = await import("zod");
  const { defineServer, defineTool } = forRevisions(await Promise.all([ids].flat().map(readRevision)));
  const echo = defineTool({
    name: "echo",
    description: "echo",
    inputSchema: z.object({ text: z.string() }),
    execute: ({ text }) => text,
  });
  const add = defineTool({
    name: "add",
    description: "add",
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => String(a + b),
  });
  return defineServer({ ...info, tools: [echo, add], ...options });
}

/** A client that speaks one revision; `ping` is left out where there is none. */
export async function connectClient(transport, id) {
  const { connect } = await load("runtime/client/connect.js");
  const { ClientCalls } = await load(`generated/${id}/client.js`);
  const connection = await connect(transport, { info, revisions: [await readRevision(id)] });
  const calls = new ClientCalls(connection);
  return {
    call: (name, args) => calls.callTool({ name, arguments: args }),
    ping: calls.ping && (() => calls.ping()),
    close: () => connection.close(),
  };
}

/** The client's end of a connection to the server in this process. */
export async function openMemory(ids) {
  const { createInMemoryTransports } = await load("runtime/transport/memory.js");
  const { serve } = await load("runtime/server/run/acceptor.js");
  const [near, far] = createInMemoryTransports();
  serve(await buildServer(ids), far);
  return near;
}

/** Serves one mode of W5 over HTTP. */
export async function listen(ids, mode, options = {}) {
  const { listenHttp } = await load("runtime/transport/http-server/listen.js");
  const { toHttpService } = await load("runtime/server/run/http-handler.js");
  const server = await buildServer(ids, { listChanged: ["tools"] });
  const listener = await listenHttp(toHttpService(server, {}), {
    responseMode: mode.endsWith("json") ? "json" : "sse",
    sessions: mode.startsWith("stateful") ? { maxSessions: 20_000 } : false,
    ...options,
  });
  return {
    port: Number(new URL(listener.url).port),
    close: () => listener.close(),
    gc: () => globalThis.gc?.(),
    broadcast: async () => {
      const t0 = performance.now();
      server.tools.notifyListChanged();
      await new Promise((resolve) => setTimeout(resolve, 0));
      return performance.now() - t0;
    },
  };
}

/** Serves over TCP. */
export async function listenTcp(ids) {
  const tcp = await load("runtime/transport/tcp/tcp.js");
  const { serve } = await load("runtime/server/run/acceptor.js");
  const server = await buildServer(ids);
  return tcp.listenTcp({ accept: (transport) => serve(server, transport) });
}

/** Serves sessions, and requests that stand alone, without a limit that W13 could reach. */
function listenToMany() {
  const options = { responseMode: "auto", sessions: { maxSessions: 1_000_000 }, maxConnections: 1_000_000 };
  return listen(["2026-07-28", handshake], "stateful", options);
}

/** A stdio server on the layer of a new project that has nothing but tools. */
async function bundleEcho(revisions) {
  const { emitLayer } = await load("generator/scaffold/layer/emit-layer.js");
  const { readSpecModels } = await load("generator/read/spec-models.js");
  const { writeTree } = await load("generator/internal/tree.js");
  const choices = {
    revisions,
    features: ["tools"],
    transports: ["stdio"],
    client: false,
    validator: false,
    auth: "none",
  };
  const folder = mkdtempSync(join(tmpdir(), "bench-layer-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await writeTree(folder, await emitLayer(choices, await readSpecModels()));
  linkModules(folder);
  return `import { defineServer, defineTool, run } from ${JSON.stringify(join(folder, "index.ts"))};
import * as z from "zod";
const echo = defineTool({ name: "echo", description: "echo", inputSchema: z.object({ text: z.string() }), execute: ({ text }) => text });
await run(defineServer({ name: "b", version: "1.0.0", tools: [echo] }));`;
}

export default {
  id: "ours",
  order: 10,
  label: "create-mcp-server",
  packages: [],
  validators,

  async codec(rev) {
    const make = await validators(rev);
    return (e) => {
      const isValid = make(e);
      return {
        decode(buffer) {
          const m = JSON.parse(buffer.toString("utf8"));
          if (!isValid(m)) throw new Error("invalid");
          return m;
        },
        encode: (m) => Buffer.from(JSON.stringify(m) + "\n"),
      };
    };
  },

  inMemory: async () => connectClient(await openMemory(handshake), handshake),

  prepareStdio: () => buildOurs("ours", handshake),
  stdioCommand: () => projectCommand("ours"),

  async stdioClient({ command, args }) {
    const { createStdioClientTransport } = await load("runtime/transport/stdio/stdio-client.js");
    const transport = createStdioClientTransport({ command, args });
    return { pid: transport.pid, ...(await connectClient(transport, handshake)) };
  },

  tcpServer: () => listenTcp(handshake),

  eraMemory: openMemory,
  eraHttp: (revisions) => listen(revisions, "stateful-json"),

  async tokenJudge({ issuer, resource, jwks }) {
    const { requireBearerToken } = await load("runtime/auth/server/index.js");
    const { verifyJwt } = await load("runtime/adapters/jose.js");
    const { NodeExchange } = await load("runtime/transport/http-server/exchange/node-exchange.js");
    const verify = verifyJwt({ keys: { [issuer]: jwks } });
    const guard = requireBearerToken({ resource, issuer, verify, scopes: ["mcp"] });
    return async (token) => {
      const field = `Bearer ${token}`;
      const rawHeaders = ["Host", "mcp.example", "Content-Type", "application/json", "Authorization", field];
      const request = { method: "POST", url: "/mcp", rawHeaders, headers: { authorization: field }, socket: {} };
      const exchange = new NodeExchange(request, {});
      const outcome = await guard.authenticate(exchange, exchange);
      if (outcome.status !== undefined) throw new Error(outcome.body);
    };
  },

  httpModes: ["stateful-json", "stateful-sse", "stateless-json", "stateless-sse"],
  httpServer: (mode) => (mode === "many" ? listenToMany() : listen(handshake, mode)),
  manySessions: "many",
  idleSessions: "stateful-sse",

  footprint: {
    install: null,
    entry: [
      dist("runtime-package/runtime/index.js").href,
      dist(`runtime-package/generated/${handshake}/index.js`).href,
    ],
    bundle: () => bundleEcho([handshake]),
  },

  async generator({ revisions, ts: file }) {
    const t0 = performance.now();
    const { readRevision } = await load("generator/read/revision.js");
    const { emitRevision, revisionTemplates } = await load("generator/emit/revision-files.js");
    const { loadTemplates } = await load("generator/internal/templates.js");
    const importMs = performance.now() - t0;
    const t = performance.now();
    const { readConversions } = await load("generator/conversions/conversions.js");
    const { findMissing } = await load("generator/model/missing.js");
    const templates = loadTemplates(new URL(".", root("templates/header.hbs")).pathname, revisionTemplates);
    const models = revisions.map((id) => {
      const overlay = root(`spec/${id === "draft" ? "2026-07-28" : id}/overlay.json`);
      return readRevision({
        id,
        status: "released",
        schema: { path: `${id}/schema.ts`, text: readFileSync(file(id), "utf8") },
        overlay: { path: `${id}/overlay.json`, value: JSON.parse(readFileSync(overlay, "utf8")) },
      });
    });
    const released = models.filter(({ id }) => id !== "draft");
    let files = 0,
      kb = 0;
    for (const model of models) {
      const isNewest = released.every(({ id }) => id <= model.id);
      const conversions = isNewest ? undefined : readConversions(released, model);
      for (const text of emitRevision(
        model,
        { conversions, missing: findMissing(model, released, []) },
        templates,
      ).values()) {
        files++;
        kb += text.length / 1024;
      }
    }
    return { importMs, workMs: performance.now() - t, made: `${files} files, ${Math.round(kb)} kB, unformatted` };
  },
  toolTypes: {
    flags: ["--features", "tools", "--extras", "none"],
    before: 'import * as z from "zod";\nimport { defineServer, defineTool, run } from "./mcp/index.ts";',
    tool: (n) => `const tool${n} = defineTool({
  name: "tool_${n}",
  description: "Tool ${n}.",
  inputSchema: ${inputSchema(n)},
  outputSchema: ${outputSchema(n)},
  execute: ({ text, count }) => ${total(n)},
});`,
    after: (count) =>
      `await run(defineServer({ name: "types", version: "1.0.0", tools: [${Array.from({ length: count }, (_value, n) => `tool${n}`).join(", ")}] }));`,
  },
};
