import { once } from "node:events";
import { createGateway, serveGatewayHttp, serveGatewayStdio, type Gateway } from "../../runtime/gateway/index.ts";
import { revisions, type ListenOptions } from "../../runtime/index.ts";
import { readPlace } from "../live/place.ts";
import { explainCause, systemCode, UserError } from "../user-error.ts";
import { reportProblem } from "./report.ts";

/** Options of `create-mcp-server gateway`. */
export interface GatewayCommandOptions {
  /** The server: an address, a module, or a command and its arguments. */
  readonly server: readonly string[];
  /** Where to listen: `HOST:PORT` or `PORT`. */
  readonly listen?: string;
  /** Serve on stdin and stdout instead. */
  readonly stdio: boolean;
}

/** `create-mcp-server gateway`: serves any server at every revision until it is stopped. Returns the exit code. */
export async function runGateway(options: GatewayCommandOptions): Promise<number> {
  try {
    const listening = readListening(options);
    const gateway = await createGateway(readPlace(options.server), { revisions, onError: logProblem }).catch(
      (cause: unknown) => {
        if (cause instanceof UserError) throw cause;
        throw new UserError(`the server cannot be reached: ${explainCause(cause)}. Start it by itself to see why.`, {
          cause,
        });
      },
    );
    if (listening === "stdio") await serveGatewayStdio(gateway);
    else await serveUntilStopped(gateway, listening);
    return 0;
  } catch (error) {
    return reportProblem(error);
  }
}

async function serveUntilStopped(gateway: Gateway, { host, port }: Address): Promise<void> {
  try {
    const listener = await listen(gateway, { host, port });
    // stdout says nothing, as on stdio.
    console.error(`${gateway.info.name}, which speaks ${gateway.revision.id}, is served at ${listener.url}`);
    await Promise.race(["SIGINT", "SIGTERM"].map((signal) => once(process, signal)));
    await listener.close();
  } finally {
    await gateway.close();
  }
}

async function listen(gateway: Gateway, options: ListenOptions): ReturnType<typeof serveGatewayHttp> {
  try {
    return await serveGatewayHttp(gateway, options);
  } catch (cause) {
    const { host, port } = options;
    const reason = systemCode(cause) === "EADDRINUSE" ? "another program listens there" : explainCause(cause);
    throw new UserError(`--listen ${host}:${port}: ${reason}. Choose another address.`, { cause });
  }
}

interface Address {
  readonly host: string;
  readonly port: number;
}

function readListening({ listen: text, stdio }: GatewayCommandOptions): "stdio" | Address {
  if (stdio && text !== undefined) throw new UserError("--listen and --stdio: choose one of them.");
  if (stdio) return "stdio";
  if (text === undefined) throw new UserError("say where to serve: --listen 127.0.0.1:3000, or --stdio.");
  const [, host = "127.0.0.1", digits = ""] = /^(?:(\[[\da-f:]+\]|[^:[\]]+):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535) {
    throw new UserError(`--listen ${text}: give HOST:PORT or PORT, with a port from 0 (any free one) to 65535.`);
  }
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port };
}

function logProblem({
  kind,
  method,
  error,
}: {
  readonly kind: string;
  readonly method?: string;
  readonly error: Error;
}): void {
  if (kind !== "ignored") console.error(`${kind}${method === undefined ? "" : ` in ${method}`}: ${error.message}`);
}
