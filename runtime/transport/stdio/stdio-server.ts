import { systemClock } from "../../internal/timers.ts";
import type { Limits } from "../../jsonrpc/limits.ts";
import { readStdoutWrite } from "./stdout.ts";
import { StreamTransport } from "../stream-transport.ts";
import type { Transport } from "../transport.ts";
import { checkNumbers } from "../../jsonrpc/check-numbers.ts";

/** Options of a server on stdin and stdout. */
export interface StdioOptions {
  readonly limits?: Partial<Limits>;
  /** Milliseconds to write the last bytes. Default 1 s. */
  readonly flushTimeout?: number;
}

/** Options of a server process. */
export interface ServeStdioOptions extends StdioOptions {
  /** End the process when the connection is closed, even if timers or calls still run. Default `true`. */
  readonly exit?: boolean;
}

/** Part of a connection needed to end it. */
export interface StdioConnection {
  readonly closed: Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Serves stdin and stdout of the process until stdin ends or a signal arrives; running calls get a short time to finish.
 *
 * @param accept - starts the server on the transport: `(transport) => serve(options, transport)`
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#stdio
 */
export async function acceptStdio(
  accept: (transport: Transport) => StdioConnection,
  options: ServeStdioOptions = {},
): Promise<void> {
  const connection = accept(createStdioTransport(options));
  const stop = (): void => void connection.close();
  for (const signal of stopSignals) process.once(signal, stop);
  await connection.closed;
  for (const signal of stopSignals) process.removeListener(signal, stop);
  if (options.exit !== false) process.exit(process.exitCode ?? 0);
}

/**
 * Creates a transport over stdin and stdout of the process. While it is open, all other output to `process.stdout`, including `console.log`, goes to
 * stderr: stdout belongs to the protocol.
 *
 * @example
 * ```ts
 * import { serve } from "mcp-server-runtime";
 * import { createStdioTransport } from "mcp-server-runtime/transports";
 *
 * await serve(server, createStdioTransport()).closed;
 * ```
 */
export function createStdioTransport(options: StdioOptions = {}): Transport {
  checkNumbers(options);
  const guard = guardStdout();
  const { stdin, stdout } = process;
  return new StreamTransport({
    input: stdin,
    output: stdout,
    write: guard.write,
    limits: options.limits,
    pausesInput: true,
    network: { transport: "pipe" },
    async finish() {
      stdin.pause();
      await guard.flush(options.flushTimeout ?? 1_000);
      guard.restore();
    },
  });
}

/** Signals to end the server. Ctrl-Break is the one another program can send on Windows; other platforms do not have it. */
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;

interface StdoutGuard {
  readonly write: (text: string) => boolean;
  readonly flush: (milliseconds: number) => Promise<void>;
  readonly restore: () => void;
}

/** Keeps the real `write` for the protocol and redirects all other output to stderr. */
function guardStdout(): StdoutGuard {
  const { stdout, stderr } = process;
  const original = readStdoutWrite();
  const write = original.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // A stderr that is no longer read must not end the server.
  stderr.on("error", ignore);
  return {
    write: (text) => write(text),
    flush: (milliseconds) =>
      new Promise((resolve) => {
        systemClock.after(milliseconds, resolve);
        if (stdout.writable) write("", () => resolve());
        else resolve();
      }),
    restore() {
      stdout.write = original;
      stderr.removeListener("error", ignore);
    },
  };
}

function ignore(): void {}
