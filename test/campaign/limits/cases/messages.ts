import { batching } from "../../../kit/revisions.ts";
import type { LimitCase } from "../limit-case.ts";
import {
  callTool,
  openHttpSession,
  openRawTcp,
  openRawWs,
  openSession,
  post,
  readOutcome,
  toStatus,
} from "../raw-client.ts";
import { openHttpRig, openTcpRig, openWsRig } from "../rig.ts";

/** Limits of a message, with their defaults. */
const texts = {
  maxMessageBytes: {
    action: "a message of more than 16 MiB",
    text: () => ping({ filler: "x".repeat(16 * 1024 * 1024) }),
  },
  maxDepth: { action: "a message of 66 levels", text: () => ping({ deep: nest(64) }) },
  maxValues: { action: "a message of more than 200,000 values", text: () => ping({ many: Array(200_000).fill(0) }) },
} as const;

const keys = ["maxMessageBytes", "maxDepth", "maxValues"] as const;

const overTcp = keys.map((key): LimitCase => {
  return {
    ...{ limit: `Limits.${key}`, over: "tcp", action: texts[key].action, outcome: "error -32600", open: openTcpRig },
    async reach({ url }) {
      const client = await openSession(await openRawTcp(url));
      client.send(texts[key].text());
      // The id of a long message can be read only if it comes early.
      return readOutcome(client, 1);
    },
  };
});

const overWebSocket = keys.map((key): LimitCase => {
  const isLong = key === "maxMessageBytes";
  return {
    ...{ limit: `Limits.${key}`, over: "websocket", action: texts[key].action, open: openWsRig },
    outcome: isLong ? "closed with 1009" : "error -32600",
    async reach({ url }) {
      const client = await openSession(await openRawWs(url));
      client.send(texts[key].text());
      return isLong ? client.closed : readOutcome(client, 1);
    },
  };
});

const overHttp = keys.map((key): LimitCase => {
  const isLong = key === "maxMessageBytes";
  return {
    ...{ limit: `Limits.${key}`, over: "http", open: openHttpRig },
    action: isLong ? "a body of more than 4 MiB" : texts[key].action,
    outcome: isLong ? "413 error -32600" : "400 error -32600",
    async reach({ url }) {
      const text = isLong ? ping({ filler: "x".repeat(4 * 1024 * 1024) }) : texts[key].text();
      return toStatus(await post(url, text, await openHttpSession(url)));
    },
  };
});

/** Limits of messages, batches and calls. */
export const messageCases: readonly LimitCase[] = [
  ...overTcp,
  ...overWebSocket,
  ...overHttp,
  {
    ...{ limit: "Limits.maxBatch", over: "tcp", action: "a batch of 101 messages", outcome: "error -32600" },
    open: openTcpRig,
    async reach({ url }) {
      const client = await openSession(await openRawTcp(url), batching.id);
      client.send(Array.from({ length: 101 }, (_value, id) => ({ jsonrpc: "2.0", id, method: "ping" })));
      return readOutcome(client, undefined);
    },
  },
  {
    ...{ limit: "Limits.maxCalls", over: "tcp", action: "1,025 calls at a time", outcome: "error 429, ping result" },
    open: openTcpRig,
    async reach({ url }) {
      const client = await openSession(await openRawTcp(url));
      for (let id = 1; id <= 1_025; id += 1) client.send(callTool(id, "wait"));
      const last = await readOutcome(client, 1_025);
      client.send({ jsonrpc: "2.0", id: 2_000, method: "ping" });
      const text = `${last}, ping ${await readOutcome(client, 2_000)}`;
      client.end();
      return text;
    },
  },
  {
    ...{ limit: "Limits.maxBufferedBytes", over: "tcp", action: "a reader that stops", outcome: "closed" },
    open: () => openTcpRig({ serve: { limits: { maxBufferedBytes: 1024 * 1024 } } }),
    async reach({ url }) {
      const client = await openSession(await openRawTcp(url));
      client.pause();
      // The system keeps some MB for a reader; the server keeps no more than the limit.
      for (let id = 1; id <= 40; id += 1) client.send(callTool(id, "repeat", { length: 1024 * 1024 }));
      const closed = client.closed;
      setTimeout(() => client.resume(), 1_000);
      return closed;
    },
  },
  {
    ...{ limit: "handshake: 64 KiB of clientInfo and capabilities", over: "http", outcome: "200 error -32602" },
    ...{ action: "capabilities of 70,000 characters", open: openHttpRig },
    async reach({ url }) {
      const params = {
        ...{ protocolVersion: batching.id, clientInfo: { name: "raw", version: "1" } },
        capabilities: { experimental: { x: { text: "x".repeat(70_000) } } },
      };
      return toStatus(await post(url, { jsonrpc: "2.0", id: 1, method: "initialize", params }));
    },
  },
  {
    ...{ limit: "errors of arguments: 4 KiB", over: "tcp", action: "200 wrong arguments", outcome: "at most 4 KiB" },
    open: openTcpRig,
    async reach({ url }) {
      const client = await openSession(await openRawTcp(url));
      const wrong = Object.fromEntries(
        Array.from({ length: 200 }, (_value, index) => [`${index}${"x".repeat(200)}`, 1]),
      );
      client.send(callTool(1, "echo", { ...wrong, text: Array(200).fill({}) }));
      await readOutcome(client, 1);
      const length = JSON.stringify(client.received.find(({ id }) => id === 1)).length;
      return length <= 4 * 1024 + 200 ? "at most 4 KiB" : `${length} characters`;
    },
  },
];

/** Request of which the id comes first, so that it can be read when the rest is too long. */
function ping(params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params });
}

function nest(depth: number): unknown {
  return Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 0);
}
