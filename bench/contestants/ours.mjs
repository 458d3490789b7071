// This project: the generated checks, the runtime and the generator, from ../dist (run `npm run build` there first).
import { readFileSync } from "node:fs";
const dist = (file) => new URL(`../../dist/${file}`, import.meta.url);
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

async function buildServer(revisions, options = {}) {
  const { createDefiners } = await import(dist("runtime/server/definers.js"));
  const { z } = await import("zod");
  const { defineServer, defineTool } = createDefiners(revisions);
  const echo = defineTool({
    name: "echo",
    description: "echo",
    input: z.object({ text: z.string() }),
    run: ({ text }) => text,
  });
  const add = defineTool({
    name: "add",
    description: "add",
    input: z.object({ a: z.number(), b: z.number() }),
    run: ({ a, b }) => String(a + b),
  });
  return defineServer({ ...info, tools: [echo, add], ...options });
}

/** The newest revision that opens with a handshake. */
async function handshakeRevision() {
  const { revision } = await import(dist("generated/2025-11-25/methods.js"));
  return revision;
}

async function connectClient(transport) {
  const { connect } = await import(dist("runtime/client/client.js"));
  const { ClientCalls } = await import(dist("generated/2025-11-25/client.js"));
  const connection = await connect(transport, { info, revisions: [await handshakeRevision()] });
  const calls = new ClientCalls(connection);
  return {
    call: (name, args) => calls.callTool({ name, arguments: args }),
    ping: () => calls.ping(),
    close: () => connection.close(),
  };
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

  async inMemory() {
    const { createMemoryPair } = await import(dist("runtime/transport/memory.js"));
    const { serve } = await import(dist("runtime/server/serve.js"));
    const pair = createMemoryPair();
    const [near, far] = Array.isArray(pair) ? pair : [pair.client, pair.server];
    serve(await buildServer([await handshakeRevision()]), far);
    return connectClient(near);
  },

  async stdioServer() {
    const { serve } = await import(dist("runtime/server/serve.js"));
    const { serveStdio } = await import(dist("runtime/transport/stdio.js"));
    const server = await buildServer([await handshakeRevision()]);
    await serveStdio((transport) => serve(server, transport));
  },

  async stdioClient({ command, args }) {
    const { createChildProcessTransport } = await import(dist("runtime/transport/child-process.js"));
    const transport = createChildProcessTransport({ command, args });
    return { pid: transport.pid, ...(await connectClient(transport)) };
  },

  async tokenJudge({ issuer, resource, jwks }) {
    const { requireToken } = await import(dist("runtime/auth/server/index.js"));
    const { verifyJwt } = await import(dist("runtime/adapters/jose.js"));
    const { NodeExchange } = await import(dist("runtime/transport/http/node.js"));
    const verify = verifyJwt({ keys: { [issuer]: jwks } });
    const guard = requireToken({ resource, issuer, verify, scopes: ["mcp"] });
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
  async httpServer(mode) {
    const { listenHttp } = await import(dist("runtime/transport/http/listen.js"));
    const { toHttpService } = await import(dist("runtime/server/serve-http.js"));
    const server = await buildServer([await handshakeRevision()], { dynamic: ["tools"] });
    const listener = await listenHttp(toHttpService(server, {}), {
      answers: mode.endsWith("json") ? "json" : "sse",
      sessions: mode.startsWith("stateless") ? false : { maxSessions: 20_000 },
    });
    return {
      port: Number(new URL(listener.url).port),
      gc: () => globalThis.gc?.(),
      broadcast: async () => {
        const t0 = performance.now();
        server.tools.announce();
        await new Promise((resolve) => setTimeout(resolve, 0));
        return performance.now() - t0;
      },
    };
  },
  idleSessions: "stateful-sse",

  async generator({ revisions, ts: file }) {
    const t0 = performance.now();
    const { readRevision } = await import(dist("generator/read/revision.js"));
    const { emitRevision, revisionTemplates } = await import(dist("generator/emit/revision-files.js"));
    const { loadTemplates } = await import(dist("generator/emit/templates.js"));
    const importMs = performance.now() - t0;
    const t = performance.now();
    const { readConversions } = await import(dist("generator/conversions.js"));
    const templates = await loadTemplates(new URL(".", root("templates/header.hbs")).pathname, revisionTemplates);
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
      for (const text of emitRevision(model, conversions, templates, "0.0.0").values()) {
        files++;
        kb += text.length / 1024;
      }
    }
    return { importMs, workMs: performance.now() - t, made: `${files} files, ${Math.round(kb)} kB, unformatted` };
  },
};
