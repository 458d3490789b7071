import { isObject } from "../../../../generated/support.ts";
import { hasBatches, isStateless } from "../../../wire/script.ts";
import { exchange } from "../peer.ts";
import type { Scenario } from "../scenario.ts";
import type { ServerScene } from "../subjects.ts";

/** Scenarios about single messages and their headers. */
export const messageScenarios: readonly Scenario<ServerScene>[] = [
  {
    id: "protocol-version-header",
    side: "server",
    revisions: ["2026-07-28", "2025-11-25", "2025-06-18"],
    clause: { page: "2025-06-18/basic/transports#protocol-version-header" },
    async run({ check, open, revision }) {
      const peer = await open();
      const list = peer.build(1, "tools/list");
      check("a request with the version of the session is served", await peer.post(list), { status: 200 });
      for (const version of ["latest", "2000-01-01", "2099-01-01", ""]) {
        const rejected = await peer.post(list, { "mcp-protocol-version": version });
        check(`the version "${version}" is rejected`, rejected, { status: 400, messages: [{ error: {} }] });
      }
      for (const version of ["latest", "2000-01-01", "2099-01-01"]) {
        const early = await exchange(peer.url, { headers: { "mcp-protocol-version": version }, body: list });
        check(`the version "${version}" is rejected before a session is open`, early, { status: 400 });
      }
      if (!isStateless(revision)) return;
      const other = { "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
      const unsupported = await peer.post(peer.build(2, "tools/list", { _meta: other }), {
        "mcp-protocol-version": "2099-01-01",
      });
      check("an unsupported version in header and body is answered with the supported ones", unsupported, {
        status: 400,
        messages: [{ id: 2, error: { code: -32022, data: { requested: "2099-01-01", supported: [revision] } } }],
      });
    },
  },
  {
    id: "json-rpc-batch-rejection",
    side: "server",
    revisions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"],
    clause: { page: "2025-06-18/basic/transports#sending-messages-to-the-server" },
    async run({ check, open, revision }) {
      const peer = await open();
      const batch = [peer.build(1, "tools/list"), peer.build(2, "no/such/method")];
      const reply = await peer.post(batch);
      if (hasBatches(revision)) {
        check("a batch is answered with one batch", reply, { status: 200, messages: [Array.isArray] });
        check("each request of a batch gets its response", byId(reply.messages[0]), [
          { id: 1, result: { tools: Array.isArray } },
          { id: 2, error: { code: -32601 } },
        ]);
        const notifications = [{ jsonrpc: "2.0", method: "notifications/none" }];
        check("a batch of notifications is accepted", await peer.post(notifications), { status: 202, text: "" });
      } else {
        check("a batch is rejected", reply, { status: 400, messages: [{ error: { code: -32600 } }] });
        check("no request of a batch is answered", reply.messages[0], { id: undefined, result: undefined });
      }
      check("an empty batch is rejected", await peer.post([]), {
        status: 400,
        messages: [{ error: { code: -32600 } }],
      });
      check("the server is available afterwards", await peer.post(peer.build(3, "tools/list")), {
        status: 200,
        messages: [{ id: 3 }],
      });
    },
  },
  {
    id: "legacy-extensions",
    side: "server",
    revisions: ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
    clause: { page: "2025-11-25/basic/lifecycle#capability-negotiation", sep: 2133 },
    note: "the server declares its extensions to clients that declare some themselves, known to it or not.",
    async run({ check, open }) {
      const skills = "io.modelcontextprotocol/skills";
      const knowing = await open({
        capabilities: { extensions: { "com.example/unknown": { any: [1] }, [skills]: {} } },
      });
      check("the server declares its extensions with their settings", knowing.opened, {
        status: 200,
        messages: [{ result: { capabilities: { extensions: { [skills]: { directoryRead: true } } } } }],
      });
      check("an unknown extension is not declared back", knowing.opened.messages[0], {
        result: { capabilities: { extensions: { "com.example/unknown": undefined } } },
      });
      check("a method of an extension is served", await knowing.post(knowing.build(1, "skills/list")), {
        status: 200,
        messages: [{ id: 1, result: { skills: Array.isArray } }],
      });
      const older = await open();
      check("a client without extensions gets a session as before", older.opened, {
        status: 200,
        messages: [{ result: { capabilities: { tools: {} } } }],
      });
    },
  },
  {
    id: "events-discovery",
    side: "server",
    revisions: ["2026-07-28"],
    clause: { page: "2026-07-28/basic/versioning#extension-negotiation", sep: 3415 },
    note: "events are not served. The checks are that they are not declared, and that their methods are unknown.",
    async run({ check, open }) {
      const events = "io.modelcontextprotocol/events";
      const peer = await open({ capabilities: { extensions: { [events]: {} } } });
      check("events are not declared: this project does not serve them", peer.opened.messages[0], {
        result: { capabilities: { events: undefined, extensions: { [events]: undefined } } },
      });
      for (const method of ["events/list", "events/poll", "events/stream", "events/subscribe", "events/unsubscribe"]) {
        check(`${method} is an unknown method`, await peer.post(peer.build(1, method)), {
          status: 404,
          messages: [{ id: 1, error: { code: -32601 } }],
        });
      }
    },
  },
];

/** Responses of a batch, which come in any order. */
function byId(batch: unknown): readonly unknown[] {
  const idOf = (message: unknown): number => (isObject(message) ? Number(message.id) : 0);
  return Array.isArray(batch) ? batch.toSorted((one, other) => idOf(one) - idOf(other)) : [];
}
