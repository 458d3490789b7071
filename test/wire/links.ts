import { once } from "node:events";
import { get, request as send, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import { converse } from "./conversation.ts";
import { eventsOf, readAll } from "./http.ts";
import { readAddress, start } from "./process.ts";
import type { RevisionId } from "./script.ts";

/** Records a conversation with a program over its standard streams. */
export async function recordStdio(args: readonly string[], revision: RevisionId): Promise<readonly string[]> {
  const program = start(args);
  const { stdin, stdout, stderr } = program.child;
  stderr.resume();
  try {
    const link = {
      send: (text: string): void => void stdin.write(`${text}\n`),
      listen: (listener: (text: string) => void): void => void createInterface({ input: stdout }).on("line", listener),
    };
    return await converse(link, revision);
  } finally {
    await program.end();
  }
}

/** Records a conversation over TCP. */
export async function recordTcp(args: readonly string[], revision: RevisionId): Promise<readonly string[]> {
  const program = start(args);
  try {
    const { hostname, port } = new URL(await readAddress(program));
    const socket = connect({ host: hostname, port: Number(port) });
    await once(socket, "connect");
    const link = {
      send: (text: string): void => void socket.write(`${text}\n`),
      listen: (listener: (text: string) => void): void => void createInterface({ input: socket }).on("line", listener),
    };
    return await converse(link, revision);
  } finally {
    await program.end();
  }
}

/** Records a conversation over a WebSocket. */
export async function recordWebSocket(args: readonly string[], revision: RevisionId): Promise<readonly string[]> {
  const program = start(args);
  try {
    const socket = new WebSocket(await readAddress(program), "mcp.v1");
    await once(socket, "open");
    const link = {
      send: (text: string): void => socket.send(text),
      listen: (listener: (text: string) => void): void =>
        void socket.on("message", (data: Buffer) => listener(data.toString())),
    };
    return await converse(link, revision);
  } finally {
    await program.end();
  }
}

/** Records a conversation over HTTP with SSE, the transport of the oldest revision. */
export async function recordHttpSse(args: readonly string[], revision: RevisionId): Promise<readonly string[]> {
  const program = start(args);
  try {
    const url = new URL("/sse", await readAddress(program));
    return await converse(await openHttpSse(url), revision);
  } finally {
    await program.end();
  }
}

async function openHttpSse(
  url: URL,
): Promise<{ send(text: string): void; listen(listener: (text: string) => void): void }> {
  const events = eventsOf(
    await new Promise(
      (resolve, reject) =>
        void get(url, { agent: false, headers: { accept: "text/event-stream" } }, resolve).on("error", reject),
    ),
  );
  const first = await events.next();
  const endpoint = new URL(first.done ? "" : (first.value.data ?? ""), url);
  const headers = { "content-type": "application/json" };
  let receive: (text: string) => void = () => {};
  const post = async (body: string): Promise<void> => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const posted = send(endpoint, { method: "POST", headers, agent: false }, resolve);
      posted.on("error", reject).end(body);
    });
    const text = await readAll(response);
    // What is rejected at once has no response on the stream.
    if (response.statusCode !== 202 && text !== "") receive(text);
  };
  // One after the other: the order of messages is part of what is recorded.
  let sent: Promise<unknown> = Promise.resolve();
  return {
    send: (text) => void (sent = sent.then(() => post(text))),
    listen(listener) {
      receive = listener;
      void (async () => {
        for await (const { data } of events) if (data !== undefined) listener(data);
      })();
    },
  };
}
