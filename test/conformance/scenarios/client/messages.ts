import { extension as skills } from "../../../../generated/extensions/skills/index.ts";
import { handshakeRevisions } from "../../../kit/revisions.ts";
import { respondJson } from "../../../kit/scripted-server.ts";
import { hasBatches, isStateless } from "../../../wire/script.ts";
import type { Scenario } from "../scenario.ts";
import { callsOf, complete, type ClientScene } from "./scripted.ts";

/** Scenarios about single messages and their headers. */
export const messageScenarios: readonly Scenario<ClientScene>[] = [
  {
    id: "protocol-version-header",
    side: "client",
    revisions: ["2026-07-28", "2025-11-25", "2025-06-18"],
    clause: { page: "2025-06-18/basic/transports#protocol-version-header" },
    async run({ check, serve, connect, revision }) {
      const server = await serve({ sessionId: () => (isStateless(revision) ? undefined : "session-1") });
      // A client that offers newer revisions sends the negotiated one.
      const offers = isStateless(revision) ? {} : { revisions: handshakeRevisions };
      const session = await connect(server.url, offers);
      await session.listTools();
      await session.callTool("anything");
      await session.close();
      const later = server.requests.filter(({ message }) => message.method !== "initialize");
      const kinds = new Set(later.map(({ method, message }) => message.method ?? method));
      const expected = isStateless(revision) ? [] : ["notifications/initialized", "DELETE"];
      check(
        "the client sends requests, notifications and the end of its session",
        ["tools/list", "tools/call", ...expected].filter((kind) => !kinds.has(kind)),
        [],
      );
      const versions = new Set(later.map(({ headers }) => headers["mcp-protocol-version"]));
      check("all of them have the version", [...versions], [revision]);
    },
  },
  {
    id: "json-rpc-batch-rejection",
    side: "client",
    revisions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"],
    clause: { page: "2025-06-18/basic/transports#sending-messages-to-the-server" },
    async run({ check, serve, connect, revision }) {
      const server = await serve({
        methods: {
          "tools/call": ({ message: { id } }, response) => {
            const result = complete(revision, { content: [{ type: "text", text: "in a batch" }] });
            respondJson(response, [{ jsonrpc: "2.0", id, result }]);
            return undefined;
          },
        },
      });
      const session = await connect(server.url);
      await Promise.all([session.listTools(), session.listTools({ refresh: true })]);
      check(
        "the client sends single messages",
        server.requests.some(({ message }) => Array.isArray(message)),
        false,
      );
      const called = await session.callTool("anything", {}, { timeout: 2_000 }).catch((error: unknown) => error);
      if (hasBatches(revision)) check("a response in a batch is read", called, { content: [{ text: "in a batch" }] });
      else check("a response in a batch is no response", called instanceof Error, true);
    },
  },
  {
    id: "legacy-extensions",
    side: "client",
    revisions: ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
    clause: { page: "2025-11-25/basic/lifecycle#capability-negotiation", sep: 2133 },
    async run({ check, serve, connect }) {
      const declared = {
        "io.modelcontextprotocol/skills": { directoryRead: true },
        "com.example/unknown": { any: [1] },
      };
      const server = await serve({ capabilities: { tools: {}, extensions: declared } });
      const session = await connect(server.url, { extensions: [skills] });
      check("the client declares its extensions", callsOf(server, "initialize")[0]?.message.params, {
        capabilities: { extensions: { "io.modelcontextprotocol/skills": {} } },
      });
      check("the client keeps what the server declares", session.serverCapabilities, { extensions: declared });
      await session.close();
      const older = await connect((await serve()).url, { extensions: [skills] });
      check("a server without extensions is used as before", await older.listTools(), []);
    },
  },
];
