import { isStateless } from "../../../wire/script.ts";
import type { Peer } from "../peer.ts";
import type { Scenario } from "../scenario.ts";
import type { ServerScene } from "../subjects.ts";

/** Scenarios about sessions: with, without, and several at once. */
export const sessionScenarios: readonly Scenario<ServerScene>[] = [
  {
    id: "sessionless",
    side: "server",
    revisions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"],
    clause: { page: "2025-03-26/basic/transports#session-management", sep: 2567 },
    async run({ check, open, revision, servers }) {
      // The newest revision has no sessions: there the server with sessions is tested.
      const peer = await open({ url: isStateless(revision) ? servers.everything : servers.sessionless });
      check("the server opens without a session", peer.opened, {
        status: 200,
        headers: { "mcp-session-id": undefined },
      });
      const call = peer.buildCall(1, "test_simple_text");
      check("a request without a session is served", await peer.post(call), {
        status: 200,
        messages: [{ result: {} }],
      });
      check(
        "a session id and an event id are ignored",
        await peer.post(call, { "mcp-session-id": "made-up", "last-event-id": "42" }),
        { status: 200, headers: { "mcp-session-id": undefined }, messages: [{ id: 1, result: {} }] },
      );
      const lists = await Promise.all([1, 2].map((id) => open({ url: peer.url }).then((one) => listTools(one, id))));
      check("a list is the same on every connection", lists[1], lists[0]);
      const stateless = await open({ url: servers.sessionless });
      for (const method of ["GET", "DELETE"] as const) {
        check(`${method} is not allowed`, await stateless.send(method, { accept: "text/event-stream" }), {
          status: 405,
          headers: { allow: "POST" },
        });
      }
    },
  },
  {
    id: "session-isolation",
    side: "server",
    revisions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
    clause: { page: "2025-03-26/basic/transports#multiple-connections" },
    async run({ check, open, revision }) {
      const peers = await Promise.all(Array.from({ length: 5 }, () => open()));
      const ids = new Set(peers.map(({ sessionId }) => sessionId));
      if (!isStateless(revision)) check("each client has a session of its own", ids.size, peers.length);
      const [text, image] = await Promise.all(
        ["test_simple_text", "test_image_content"].map((name, index) => callTool(peers[index], { id: 1, name })),
      );
      check("of two requests with one id, the first gets its response", text, [
        { id: 1, result: { content: [{ type: "text" }] } },
      ]);
      check("of two requests with one id, the second gets its response", image, [
        { id: 1, result: { content: [{ type: "image" }] } },
      ]);
      const streams = await Promise.all(
        peers.map((peer, index) => callTool(peer, { id: 7, name: "test_tool_with_progress", token: `token-${index}` })),
      );
      for (const [index, messages] of streams.entries()) {
        const step = { method: "notifications/progress", params: { progressToken: `token-${index}` } };
        check(`client ${index} gets the progress of its own request`, messages, [step, step, step, { id: 7 }]);
      }
      if (isStateless(revision)) return;
      const [hers, his] = peers;
      const stolen = await hers?.post(hers.build(2, "tools/list"), { "mcp-session-id": `${his?.sessionId}x` });
      check("an id that no session has is not found", stolen, { status: 404 });
      check("a session can be ended", await hers?.send("DELETE"), { status: /20[04]/ });
      check("the session of another client goes on", await his?.post(his.build(3, "tools/list")), { status: 200 });
    },
  },
];

async function listTools(peer: Peer, id: number): Promise<unknown> {
  const { messages } = await peer.post(peer.build(id, "tools/list"));
  return messages.map((message) => JSON.stringify({ ...Object(message), id: 0 }));
}

interface Call {
  readonly id: number;
  readonly name: string;
  readonly token?: string;
}

async function callTool(peer: Peer | undefined, { id, name, token }: Call): Promise<readonly unknown[]> {
  const meta = token === undefined ? {} : { _meta: { progressToken: token } };
  return (await peer?.post(peer.buildCall(id, name, meta)))?.messages ?? [];
}
