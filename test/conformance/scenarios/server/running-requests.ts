import { isObject } from "../../../../generated/support.ts";
import type { RevisionId } from "../../../wire/script.ts";
import { until } from "../../../kit/time.ts";
import { openFeatures } from "../features.ts";
import type { Peer, Reply } from "../peer.ts";
import type { Scenario } from "../scenario.ts";
import type { ServerScene } from "../subjects.ts";

const sessionRevisions: readonly RevisionId[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const ids = [1, 2, 3, 4, 5] as const;

/** Scenarios about requests while they run: cancellation, progress and log messages. */
export const runningScenarios: readonly Scenario<ServerScene>[] = [
  {
    id: "cancellation",
    side: "server",
    revisions: sessionRevisions,
    clause: { page: "2025-06-18/basic/utilities/cancellation#behavior-requirements" },
    async run(scene) {
      const { check } = scene;
      const { peer, started, stopped } = await openFeatures(scene);
      for (const requestId of ["unknown", 404, null]) {
        const status = await cancel(peer, requestId);
        check(`a cancellation of the request ${JSON.stringify(requestId)} is no failure`, status < 500, true);
      }
      const running = await peer.stream(slowCall(peer, 1));
      await until(() => started.includes("1"), "the start of the tool");
      check("a cancellation is accepted without a body", await cancel(peer, 1), 202);
      await until(() => stopped.includes("1"), "the end of the tool");
      await running.end();
      check("a cancelled request gets no response", running.messages.filter(isResponse), []);
      const burst = await Promise.all(ids.map((id) => peer.stream(slowCall(peer, `burst-${id}`))));
      await Promise.all(ids.flatMap((id) => [cancel(peer, `burst-${id}`), cancel(peer, `burst-${id}`)]));
      await Promise.all(burst.map((stream) => stream.end()));
      check("each request of a burst is cancelled once", stopped.length, ids.length + 1);
      check(
        "no request of a burst gets a response",
        burst.flatMap(({ messages }) => messages.filter(isResponse)),
        [],
      );
      check("the server is available afterwards", await peer.post(peer.build(9, "tools/list")), { status: 200 });
    },
  },
  {
    id: "http-stream-cancellation",
    side: "server",
    revisions: ["2026-07-28"],
    clause: { page: "2026-07-28/basic/transports/streamable-http#cancellation", sep: 2575 },
    async run(scene) {
      const { check } = scene;
      const { peer, started, stopped } = await openFeatures(scene);
      const stream = await peer.stream(slowCall(peer, 1));
      await until(() => started.includes("1"), "the start of the tool");
      check("the stream is open while the tool runs", [stream.status, stream.isEnded], [200, false]);
      stream.cut();
      await until(() => stopped.includes("1"), "the end of the tool");
      check("a closed stream cancels its request", stopped, ["1"]);
      const burst = await Promise.all(ids.map((id) => peer.stream(slowCall(peer, `burst-${id}`))));
      for (const one of burst) one.cut();
      await until(() => stopped.length === ids.length + 1, "the end of the burst");
      check("each request of a burst is cancelled once", stopped.length, ids.length + 1);
      check("the server is available afterwards", await peer.post(peer.build(9, "tools/list")), { status: 200 });
    },
  },
  {
    id: "http-stream-disconnection",
    side: "server",
    revisions: ["2025-11-25", "2025-06-18", "2025-03-26"],
    clause: { page: "2025-03-26/basic/transports#sending-messages-to-the-server" },
    note: "the counterpart of `http-stream-cancellation` before 2026-07-28, in no branch of the suite.",
    async run(scene) {
      const { check } = scene;
      const { peer, started, stopped } = await openFeatures(scene);
      const stream = await peer.stream(slowCall(peer, 1));
      await until(() => started.includes("1"), "the start of the tool");
      stream.cut();
      await stream.end();
      check("other requests are served", await peer.post(peer.build(2, "tools/list")), { status: 200 });
      check("a closed stream does not cancel its request", stopped, []);
      check("a notification does", await cancel(peer, 1), 202);
      await until(() => stopped.includes("1"), "the end of the tool");
      check("the request is cancelled once", stopped, ["1"]);
    },
  },
  {
    id: "progress-notifications",
    side: "server",
    revisions: ["2026-07-28", ...sessionRevisions],
    clause: { page: "2025-06-18/basic/utilities/progress#behavior-requirements" },
    async run({ check, open }) {
      const peer = await open();
      const call = (id: number, token?: string | number): Promise<Reply> =>
        peer.post(
          peer.buildCall(id, "test_tool_with_progress", token === undefined ? {} : { _meta: { progressToken: token } }),
        );
      for (const token of ["text", 7, 0]) {
        const steps = [0, 50, 100].map((progress) => ({
          method: "notifications/progress",
          params: { progressToken: token, progress, total: 100 },
        }));
        check(
          `progress increases, with the token ${JSON.stringify(token)}, and ends with the response`,
          await call(1, token),
          {
            status: 200,
            messages: [...steps, { id: 1, result: {} }],
          },
        );
      }
      check("there is no progress without a token", await call(2), { status: 200, messages: [{ id: 2, result: {} }] });
    },
  },
  {
    id: "per-request-loglevel",
    side: "server",
    revisions: ["2026-07-28"],
    clause: { page: "2026-07-28/server/utilities/logging#per-request-log-level", sep: 2575 },
    async run(scene) {
      const { check } = scene;
      const { peer } = await openFeatures(scene);
      const call = (id: number, level?: string): Promise<Reply> => peer.post(levelsCall(peer, id, level));
      const entry = (level: string): object => ({ method: "notifications/message", params: { level } });
      const wanted = ["debug", "info", "warning", "error"];
      for (const [index, level] of wanted.entries()) {
        check(`with the level ${level}, no message is less severe`, await call(1, level), {
          status: 200,
          messages: [...wanted.slice(index).map(entry), { id: 1, result: {} }],
        });
      }
      check("no message is sent without a level", await call(2), { messages: [{ id: 2, result: {} }] });
      check("an unknown level is rejected", await call(3, "loud"), { messages: [{ id: 3, error: { code: -32602 } }] });
      const [loud, quiet] = await Promise.all([call(4, "debug"), call(5)]);
      check("messages are on the stream of their request", loud.messages, [...wanted.map(entry), { id: 4 }]);
      check("and not on that of another", quiet.messages, [{ id: 5 }]);
    },
  },
];

function slowCall(peer: Peer, id: string | number): object {
  return peer.buildCall(id, "test_tool_slow", { arguments: { label: String(id) }, _meta: { progressToken: id } });
}

function levelsCall(peer: Peer, id: number, level: string | undefined): object {
  const meta = level === undefined ? {} : { _meta: { "io.modelcontextprotocol/logLevel": level } };
  return peer.buildCall(id, "test_tool_levels", meta);
}

async function cancel(peer: Peer, requestId: unknown): Promise<number> {
  const params = { requestId, reason: "scenario" };
  return (await peer.post({ jsonrpc: "2.0", method: "notifications/cancelled", params })).status;
}

function isResponse(message: unknown): boolean {
  return isObject(message) && message.method === undefined;
}
