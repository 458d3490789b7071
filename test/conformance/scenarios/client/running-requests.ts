import { setTimeout as sleep } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import { resultEvent, respondEvents } from "../../../kit/scripted-server.ts";
import { until } from "../../../kit/time.ts";
import type { RevisionId } from "../../../wire/script.ts";
import type { Scenario } from "../scenario.ts";
import { callsOf, complete, toEvent, type ClientScene } from "./scripted.ts";

const sessionRevisions: readonly RevisionId[] = ["2025-11-25", "2025-06-18", "2025-03-26"];
const everyRevision: readonly RevisionId[] = ["2026-07-28", ...sessionRevisions, "2024-11-05"];

/** Scenarios about requests while they run: cancellation, progress and log messages. */
export const runningScenarios: readonly Scenario<ClientScene>[] = [
  {
    id: "cancellation",
    side: "client",
    revisions: [...sessionRevisions, "2024-11-05"],
    clause: { page: "2025-06-18/basic/utilities/cancellation#behavior-requirements" },
    async run({ check, serve, connect, revision }) {
      let late: (() => void) | undefined;
      const server = await serve({
        methods: {
          "tools/call": ({ message: { id } }, response) => {
            late = () => void response.end(resultEvent(id, complete(revision, { content: [] })));
            return open(response);
          },
        },
      });
      const session = await connect(server.url);
      const abort = new AbortController();
      const called = session.callTool("slow", {}, { signal: abort.signal }).catch((error: unknown) => error);
      await until(() => callsOf(server, "tools/call").length === 1);
      abort.abort(new Error("not needed"));
      check("a cancelled call fails", (await called) instanceof Error, true);
      await until(() => callsOf(server, "notifications/cancelled").length > 0);
      const id = callsOf(server, "tools/call")[0]?.message.id;
      check("the client notifies the server with the id of the request", callsOf(server, "notifications/cancelled"), [
        { message: { params: { requestId: id } } },
      ]);
      late?.();
      const timedOut = await session.callTool("slow", {}, { timeout: 20 }).catch((error: unknown) => error);
      check("a call that takes too long fails", timedOut instanceof Error, true);
      await until(() => callsOf(server, "notifications/cancelled").length > 1);
      const cancelled = callsOf(server, "notifications/cancelled").map(({ message }) => message.params?.requestId);
      check(
        "it is cancelled as well",
        cancelled,
        callsOf(server, "tools/call").map(({ message }) => message.id),
      );
      check("a response that comes late is ignored", await session.listTools({ refresh: true }), []);
    },
  },
  {
    id: "http-stream-cancellation",
    side: "client",
    revisions: ["2026-07-28"],
    clause: { page: "2026-07-28/basic/transports/streamable-http#cancellation", sep: 2575 },
    async run({ check, serve, connect }) {
      let closed = 0;
      const server = await serve({
        methods: {
          "tools/call": (_received, response) => {
            response.once("close", () => (closed += 1));
            return open(response);
          },
        },
      });
      const session = await connect(server.url);
      const aborts = [1, 2, 3].map(() => new AbortController());
      const calls = aborts.map(({ signal }) =>
        session.callTool("slow", {}, { signal }).catch((error: unknown) => error),
      );
      await until(() => callsOf(server, "tools/call").length === 3);
      aborts[0]?.abort();
      await calls[0];
      await until(() => closed === 1);
      check("a cancelled call closes its stream, and no other", closed, 1);
      for (const abort of aborts) abort.abort();
      await Promise.all(calls);
      await until(() => closed === 3);
      check("the client goes on", await session.listTools(), []);
      check("no notification is sent", callsOf(server, "notifications/cancelled"), []);
    },
  },
  {
    id: "progress-notifications",
    side: "client",
    revisions: everyRevision,
    clause: { page: "2025-06-18/basic/utilities/progress#behavior-requirements" },
    async run({ check, serve, connect, revision }) {
      const server = await serve({
        methods: {
          "tools/call": ({ message: { id, params } }, response) => {
            const token = tokenOf(params);
            const steps = token === undefined ? [] : ["unknown", token, token];
            const notifications = steps.map((progressToken, index) =>
              toEvent({ method: "notifications/progress", params: { progressToken, progress: 10 * index, total: 20 } }),
            );
            respondEvents(response, ...notifications, resultEvent(id, complete(revision, { content: [] })));
            response.end();
            return undefined;
          },
        },
      });
      const session = await connect(server.url);
      const seen = await Promise.all(
        ["one", "other"].map(async (name) => {
          const steps: unknown[] = [];
          await session.callTool(name, {}, { onProgress: (step) => steps.push(step) });
          return steps;
        }),
      );
      const steps = [
        { progress: 10, total: 20 },
        { progress: 20, total: 20 },
      ];
      check("each call gets its own progress, and none with an unknown token", seen, [steps, steps]);
      check("a call without a listener gets its result", await session.callTool("quiet"), { content: [] });
      const tokens = callsOf(server, "tools/call").map(({ message }) => tokenOf(message.params));
      check("the tokens of requests differ", new Set(tokens).size, tokens.length);
    },
  },
  {
    id: "per-request-loglevel",
    side: "client",
    revisions: ["2026-07-28"],
    clause: { page: "2026-07-28/server/utilities/logging#per-request-log-level", sep: 2575 },
    async run({ check, serve, connect, revision }) {
      const server = await serve({
        capabilities: { tools: {}, logging: {} },
        methods: {
          "tools/call": ({ message: { id } }, response) => {
            const entry = { method: "notifications/message", params: { level: "error", data: "broken" } };
            respondEvents(response, toEvent(entry), resultEvent(id, complete(revision, { content: [] })));
            response.end();
            return undefined;
          },
        },
      });
      const key = "io.modelcontextprotocol/logLevel";
      const entries: unknown[] = [];
      const logged = await connect(server.url, { logLevel: "warning", onLog: (entry) => entries.push(entry) });
      await logged.callTool("anything");
      check("a request has the level", callsOf(server, "tools/call")[0]?.message.params, {
        _meta: { [key]: "warning" },
      });
      check("the client gets messages on the stream of the request", entries, [{ level: "error", data: "broken" }]);
      const quiet = await connect(server.url);
      await quiet.callTool("anything");
      check("without a level there is none", callsOf(server, "tools/call")[1]?.message.params, {
        _meta: { [key]: undefined },
      });
      check("no request sets a level for a session", callsOf(server, "logging/setLevel"), []);
    },
  },
  {
    id: "cancellation-by-server",
    side: "client",
    revisions: ["2025-11-25", "2025-06-18"],
    clause: { page: "2025-06-18/basic/utilities/cancellation#cancellation-flow" },
    note: "the other direction of `cancellation`, in no branch of the suite.",
    async run({ check, serve, connect, revision }) {
      let stream: ServerResponse | undefined;
      let callId: number | undefined;
      const server = await serve({
        methods: {
          "tools/call": ({ message: { id } }, response) => {
            stream = response;
            callId = id;
            const form = { message: "Who?", requestedSchema: { type: "object", properties: {} } };
            respondEvents(response, toEvent({ id: "form", method: "elicitation/create", params: form }));
            return undefined;
          },
        },
      });
      let signal: AbortSignal | undefined;
      const form = (_params: unknown, context: { readonly signal: AbortSignal }): Promise<never> => {
        signal = context.signal;
        return new Promise(() => {});
      };
      const session = await connect(server.url, { elicitation: { form } });
      const called = session.callTool("asks");
      await until(() => signal !== undefined);
      stream?.write(toEvent({ method: "notifications/cancelled", params: { requestId: "unknown" } }));
      stream?.write(toEvent({ method: "notifications/cancelled", params: { requestId: "form" } }));
      await until(() => signal?.aborted === true);
      check("a cancellation ends the form, and one of nothing does not", signal?.aborted, true);
      stream?.end(resultEvent(callId, complete(revision, { content: [] })));
      check("the call goes on", await called, { content: [] });
      await sleep(20);
      const responses = server.requests.filter(
        ({ message }) => message.id !== undefined && message.method === undefined,
      );
      check("the cancelled request gets no response", responses, []);
    },
  },
];

/** Opens a stream, and leaves it open. */
function open(response: ServerResponse): undefined {
  respondEvents(response, ": open\n\n");
  return undefined;
}

function tokenOf(params: unknown): unknown {
  const { _meta: meta }: { readonly _meta?: { readonly progressToken?: unknown } } = Object(params);
  return meta?.progressToken;
}
