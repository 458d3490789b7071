import { createGateway, serveGatewayHttp, serveGatewayStdio, type Gateway } from "../../runtime/gateway/index.ts";
import { revisions, type ListenOptions } from "../../runtime/index.ts";
import { readPlace } from "../live/place.ts";
import { explainUnreachable } from "../live/unreachable.ts";
import { UserError } from "../user-error.ts";
import { reportProblem } from "./report.ts";

/** Options of `create-mcp-server gateway`. */
export interface GatewayCommandOptions {
  /** The server: an address, a module, or a command and its arguments. */
  readonly server: readonly string[];
  /** Where to listen: `HOST:PORT` or `PORT`. */
  readonly listen?: string;
  /** Serve on stdin and stdout instead. */
  readonly stdio: boolean;
  /** Names that clients on other machines may call this one by. */
  readonly allowedHosts?: readonly string[];
  /** Seconds without a word of the server after which a request fails. Default: none. */
  readonly timeout?: string;
}

/** `create-mcp-server gateway`: serves any server at every revision until it is stopped. Returns the exit code. */
export async function runGateway(options: GatewayCommandOptions): Promise<number> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  // From the beginning: nothing that was started may be left behind.
  for (const signal of stopSignals) process.once(signal, onSignal);
  try {
    const listening = readListening(options);
    const gateway = await open(options, stop.signal);
    if (listening === "stdio") return toExitCode(await serveGatewayStdio(gateway), stop.signal);
    await serveUntilStopped(gateway, { ...listening, stopped: stop.signal });
    return 0;
  } catch (error) {
    return stop.signal.aborted ? 0 : reportProblem(error);
  } finally {
    for (const signal of stopSignals) process.removeListener(signal, onSignal);
  }
}

/**
 * Of a server that has ended the session of its client; why, has been told when that was noticed. A signal from a terminal reaches the server as well:
 * that it ends of it is as it should be.
 */
function toExitCode(loss: Error | undefined, stopped: AbortSignal): number {
  return loss === undefined || stopped.aborted ? 0 : 1;
}

async function open({ server, timeout }: GatewayCommandOptions, signal: AbortSignal): Promise<Gateway> {
  const silence = readTimeout(timeout);
  const place = readPlace(server);
  try {
    return await createGateway(place, { revisions, onError: logProblem, signal, silence });
  } catch (cause) {
    throw new UserError(`the server cannot be reached: ${explainUnreachable(place, cause)}`, { cause });
  }
}

interface Serving extends Address {
  readonly allowedHosts?: readonly string[];
  /** Aborted when it shall end. */
  readonly stopped: AbortSignal;
}

async function serveUntilStopped(gateway: Gateway, { stopped, ...options }: Serving): Promise<void> {
  try {
    const listener = await listen(gateway, options);
    // stdout says nothing, as on stdio.
    console.error(`${gateway.info.name}, which speaks ${gateway.revision.id}, is served at ${listener.url}`);
    await new Promise<void>((resolve) => {
      if (stopped.aborted) resolve();
      stopped.addEventListener("abort", () => resolve());
    });
    await listener.close();
  } finally {
    await gateway.close();
  }
}

async function listen(gateway: Gateway, options: ListenOptions & Address): ReturnType<typeof serveGatewayHttp> {
  try {
    return await serveGatewayHttp(gateway, options);
  } catch (cause) {
    throw new UserError(`--listen: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

interface Address {
  readonly host: string;
  readonly port: number;
}

type Listening = "stdio" | (Address & { readonly allowedHosts?: readonly string[] });

function readListening({ listen: text, stdio, allowedHosts }: GatewayCommandOptions): Listening {
  if (stdio && text !== undefined) throw new UserError("--listen and --stdio: choose one of them.");
  if (stdio) return "stdio";
  if (text === undefined) throw new UserError("say where to serve: --listen 127.0.0.1:3000, or --stdio.");
  const [, host = "127.0.0.1", digits = ""] = /^(?:(\[[\da-f:]+\]|[^:[\]]+):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535) {
    throw new UserError(`--listen ${text}: give HOST:PORT or PORT, with a port from 0 (any free one) to 65535.`);
  }
  const name = host.replace(/^\[(.*)\]$/, "$1");
  if (!allowedHosts && !isLoopback(name)) {
    throw new UserError(
      `--listen ${text} lets other machines in: say by which names they reach this one, as in --allowed-hosts mcp.example.org.`,
    );
  }
  return { host: name, port, ...(allowedHosts && { allowedHosts }) };
}

function isLoopback(host: string): boolean {
  return ["localhost", "127.0.0.1", "::1"].includes(host);
}

/** Milliseconds. */
function readTimeout(text: string | undefined): number {
  if (text === undefined) return Infinity;
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  if (seconds > 0) return seconds * 1_000;
  throw new UserError(`--timeout ${text}: give seconds, such as 60, or leave it out for no limit.`);
}

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;

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
