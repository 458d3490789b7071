import { isClosedError } from "../jsonrpc/errors.ts";
import { isHandshake } from "../lifecycle/negotiation.ts";
import { createStdioClientTransport, type StdioClientOptions } from "../transport/stdio/stdio-client.ts";
import { connect, type ClientConnection } from "./connect.ts";
import type { ConnectServerOptions } from "./connection-factory.ts";

/**
 * Starts a server of any age as a child of this process and connects to it. Some older servers exit when their first message is unknown to them: such
 * a server is started once more and opened by a handshake.
 *
 * @throws {Error} when the program cannot be started, ends early or has no common revision
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 * @example
 * ```ts
 * import { connectClient, connectStdio } from "mcp-server-runtime";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * await using client = await connectClient<Declarations>(
 *   (options) => connectStdio({ command: "node", args: ["dist/server.js"] }, options),
 *   { info: { name: "my-client", version: "1.0.0" }, revisions },
 * );
 * console.log(await client.listTools());
 * ```
 */
export async function connectStdio(
  command: StdioClientOptions,
  options: ConnectServerOptions,
): Promise<ClientConnection> {
  const era = options.eras?.noteOf(JSON.stringify([command.command, command.args, command.cwd]));
  const { limits, onError } = options;
  const open = (more: Partial<ConnectServerOptions>): Promise<ClientConnection> =>
    connect(createStdioClientTransport({ ...(limits && { limits }), ...(onError && { onError }), ...command }), {
      ...options,
      ...(era && { era }),
      ...more,
    });
  try {
    return await open({});
  } catch (error) {
    if (!mayHaveDiedOfProbe(error, options)) throw error;
    const connection = await open({ lifecycle: "handshake" });
    era?.keep("session");
    return connection;
  }
}

/** True if the first message may have ended the program. If the program could not be started at all, it does not start the second time either. */
function mayHaveDiedOfProbe(error: unknown, { revisions, lifecycle, signal }: ConnectServerOptions): boolean {
  const hasChoice = lifecycle === undefined && revisions.some(isHandshake) && !revisions.every(isHandshake);
  if (!hasChoice || signal?.aborted || !isClosedError(error)) return false;
  return !(error.cause instanceof Error && "syscall" in error.cause);
}
