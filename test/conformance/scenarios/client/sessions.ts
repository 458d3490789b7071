import { isStateless, type RevisionId } from "../../../wire/script.ts";
import type { Scenario } from "../scenario.ts";
import { callsOf, type ClientScene } from "./scripted.ts";

const revisions: readonly RevisionId[] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/** Scenarios about sessions of clients. */
export const sessionScenarios: readonly Scenario<ClientScene>[] = [
  {
    id: "session-renegotiation-404",
    side: "client",
    revisions,
    clause: { page: "2025-03-26/basic/transports#session-management" },
    async run({ check, serve, connect }) {
      let current = 1;
      const server = await serve({
        sessionId: ({ message }) => (message.method === "initialize" ? `session-${current}` : undefined),
        first: ({ headers, message }, response) => {
          if (message.method === "initialize" || headers["mcp-session-id"] === `session-${current}`) return false;
          response.writeHead(404, { "content-type": "application/json" });
          response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"}}');
          return true;
        },
      });
      const session = await connect(server.url);
      await session.callTool("first");
      // The server restarts, and has forgotten its sessions.
      current = 2;
      check("the request that was not found is sent again", await session.callTool("second"), { content: [] });
      check("so are several at once", await Promise.all([session.callTool("third"), session.listTools()]), [{}, []]);
      const opened = callsOf(server, "initialize");
      check(
        "the client opens one new session, without the id of the old one",
        opened.map(({ headers }) => headers["mcp-session-id"] ?? "none"),
        ["none", "none"],
      );
      check(
        "and confirms it",
        callsOf(server, "notifications/initialized").map(({ headers }) => headers["mcp-session-id"]),
        ["session-1", "session-2"],
      );
      check("later requests have the new id", callsOf(server, "tools/list").at(-1)?.headers, {
        "mcp-session-id": "session-2",
      });
    },
  },
  {
    id: "sessionless",
    side: "client",
    revisions: ["2026-07-28", ...revisions],
    clause: { page: "2025-03-26/basic/transports#session-management", sep: 2567 },
    async run({ check, serve, connect, revision }) {
      // The newest revision has no sessions: an id that a server sends nevertheless is not repeated.
      const server = await serve({
        sessionId: () => (isStateless(revision) ? "session-1" : undefined),
        first({ method }, response) {
          if (method === "POST") return false;
          response.writeHead(405, { allow: "POST" }).end();
          return true;
        },
      });
      const session = await connect(server.url);
      check(
        "requests are served",
        [await session.listTools(), await session.callTool("anything")],
        [[], { content: [] }],
      );
      await session.close();
      check(
        "no request has a session id",
        server.requests.filter(({ headers }) => headers["mcp-session-id"] !== undefined),
        [],
      );
      check(
        "no session is ended",
        server.requests.filter(({ method }) => method === "DELETE"),
        [],
      );
    },
  },
];
