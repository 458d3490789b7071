import { connect } from "node:net";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { keepOpen, readMessage, receiveResponse, writeMessage, type TestLink } from "./link.ts";
import { startOnPort, startProgram, type TestProgram } from "./program.ts";

/**
 * Starts a server and connects to it over stdio. What it prints on stderr is shown.
 *
 * @example
 * ```ts
 * import { openStdio } from "mcp-server-runtime/testing";
 *
 * const link = await openStdio({ path: "dist/server.js" });
 * console.log(await link.exchange({ id: 1, method: "ping" }));
 * console.log(await link.end());
 * ```
 */
export async function openStdio(program: TestProgram): Promise<TestLink> {
  const { stdin, stdout, stderr, ended } = startProgram(program);
  stderr.pipe(process.stderr, { end: false });
  return {
    exchange: createLineExchange(stdout, stdin, ended),
    end() {
      stdin.end();
      return ended;
    },
  };
}

/**
 * Starts a server and connects to it over TCP.
 *
 * @example
 * ```ts
 * import { openTcp } from "mcp-server-runtime/testing";
 *
 * const link = await openTcp({ path: "dist/server.js" });
 * ```
 */
export async function openTcp(program: TestProgram): Promise<TestLink> {
  const { url, ended, end } = await startOnPort(program, ["--tcp", "0"]);
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1" });
  return {
    exchange: createLineExchange(socket, socket, ended),
    end() {
      socket.end();
      return end();
    },
  };
}

/** Exchanges one JSON message per line. */
function createLineExchange(input: Readable, output: Writable, ended: Promise<number | null>): TestLink["exchange"] {
  const lines = createInterface({ input })[Symbol.asyncIterator]();
  // A server accepts no input after its exit; waiting for the next response reports the exit.
  output.on("error", () => {});
  const send = async (message: object): Promise<void> => void output.write(`${writeMessage(message)}\n`);
  return async (message, respond) => {
    await send(message);
    if (message.id === undefined) return undefined;
    const response = await receiveResponse(readLines(lines), message.id, { respond, send });
    if (!response) throw new Error(`the server ended with code ${await ended}`);
    return response;
  };
}

async function* readLines(lines: AsyncIterator<string>): AsyncGenerator<ReturnType<typeof readMessage>, undefined> {
  for await (const line of keepOpen(lines)) yield readMessage(line);
}
