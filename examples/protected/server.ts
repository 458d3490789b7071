import type { Declarations } from "mcp-server-runtime/2026-07-28";
import { verifyJwt } from "mcp-server-runtime/adapters/jose";
import { requireBearerToken } from "mcp-server-runtime/auth/server";
import { auditLog, forRevisions, rateLimit, serveHttp } from "mcp-server-runtime";
import { revisions } from "mcp-server-runtime/revisions";

/* Server that requires an access token. The authorization server is the one in ../authorization-server. */

const { defineServer, defineTool } = forRevisions<Declarations>(revisions);
const notes = new Map<string, string[]>();

const read = defineTool({
  name: "read-notes",
  description: "The notes of the user.",
  execute: (_args, { auth }) => (notes.get(auth?.principal ?? "") ?? []).join("\n") || "There are none.",
});

const write = defineTool({
  name: "write-note",
  description: "Takes a note for the user.",
  scopes: ["notes:write"],
  execute(_args, { auth }) {
    const owner = auth?.principal ?? "";
    const mine = notes.get(owner) ?? [];
    notes.set(owner, [...mine, `Note ${mine.length + 1}`]);
    return "Noted.";
  },
});

const listener = await serveHttp(
  defineServer({
    name: "protected",
    version: "1.0.0",
    tools: [read, write],
    middleware: [
      rateLimit({ burst: 50, perSecond: 5 }),
      auditLog({ write: (entry) => console.error(JSON.stringify(entry)) }),
    ],
  }),
  {
    port: 3000,
    authenticate: requireBearerToken({
      resource: "http://127.0.0.1:3000/mcp",
      issuer: process.env.ISSUER ?? "http://127.0.0.1:4000",
      verify: verifyJwt(),
      scopes: ["notes:read"],
      onDenied: (denied) => console.error(JSON.stringify(denied)),
    }),
  },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void listener.close());
console.error(`The notes are served at ${listener.url}`);
