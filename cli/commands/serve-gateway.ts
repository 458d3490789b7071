import { serveGatewayStdio, type Gateway } from "../../runtime/gateway/index.ts";
import { createGatewayCard, type GatewayCardFlags } from "../../tools/live/gateway-card.ts";
import { readGuard, type CredentialFlags } from "../../tools/live/credentials.ts";
import {
  listenAt,
  readListenAddress,
  type Callers,
  type GatewayListener,
  type ListenAddress,
} from "../../tools/live/gateway-listener.ts";
import {
  joinGatewayCluster,
  readEngine,
  type GatewayCluster,
  type GatewayEngine,
} from "../../tools/live/gateway-cluster.ts";
import { outputLine } from "../../generator/internal/text.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { runUntilStopped, untilStopped } from "./stop-signal.ts";

/** Options of commands for serving a gateway. */
export interface ServingFlags extends CredentialFlags, GatewayCardFlags {
  /** Address to listen on: `HOST:PORT` or `PORT` for HTTP, prefixed by `ws://` or `tcp://` for the other transports. */
  readonly listen?: string;
  /** Serve on stdin and stdout instead. */
  readonly stdio: boolean;
  /** Names of this machine for clients on other machines. */
  readonly allowedHosts?: readonly string[];
  /** Address of the engine shared by several nodes; empty to read it from the environment. Default: the gateway is one process. */
  readonly engine?: string;
}

/** Serves the gateway returned by `open` until a signal or its client stops it. Returns the exit code. */
export function serveUntilStopped(
  options: ServingFlags,
  open: (signal: AbortSignal) => Promise<Gateway>,
): Promise<number> {
  return runUntilStopped(async (stopped) => {
    const listening = readListening(options);
    const engine = readEngine(options.engine);
    const gateway = await open(stopped);
    if (listening === "stdio") return toExitCode(await serveGatewayStdio(gateway), stopped);
    await serveAt(gateway, { ...listening, card: options, engine, stopped });
    return 0;
  });
}

/**
 * Returns the exit code on stdio. It is 1 if the server ended the session of its client; the reason was reported when the gateway noticed. A signal
 * from a terminal reaches the server as well, so its end is expected then.
 */
function toExitCode(loss: Error | undefined, stopped: AbortSignal): number {
  return loss === undefined || stopped.aborted ? 0 : 1;
}

/** Joins the nodes that serve the same server, and share an engine. */
async function joinNodes({ info }: Gateway, engine: GatewayEngine): Promise<GatewayCluster> {
  const cluster = await joinGatewayCluster(info.name, engine, logProblem);
  for (const problem of cluster.status().problems) console.error(`engine: ${problem}`);
  return cluster;
}

async function serveAt(
  gateway: Gateway,
  {
    stopped,
    engine,
    card,
    address,
    callers,
  }: Listening & {
    /** Options of the Server Card. */
    readonly card: GatewayCardFlags;
    /** Engine shared by several nodes. Default: the gateway is one process. */
    readonly engine: GatewayEngine | undefined;
    /** Aborted to stop the gateway. */
    readonly stopped: AbortSignal;
  },
): Promise<void> {
  let cluster: GatewayCluster | undefined;
  try {
    const documents = createGatewayCard(gateway, card);
    if (engine) cluster = await joinNodes(gateway, engine);
    const all = { ...callers, ...(cluster && { cluster }), ...(documents && { documents }) };
    const listener = await listen(gateway, { address, callers: all });
    // Written to stderr: stdout stays empty, as on stdio.
    const name = outputLine(gateway.info.name, 100);
    console.error(`${name} (revision ${gateway.revision.id}) is served at ${listener.url}`);
    await untilStopped(stopped);
    await listener.close();
  } finally {
    await gateway.close();
    await cluster?.close();
  }
}

async function listen(gateway: Gateway, { address, callers }: Listening): Promise<GatewayListener> {
  try {
    return await listenAt(gateway, address, callers);
  } catch (cause) {
    throw new UserError(`--listen: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Address and access rules of the gateway. */
interface Listening {
  readonly address: ListenAddress;
  readonly callers: Callers;
}

function readListening(options: ServingFlags): Listening | "stdio" {
  const { listen: text, stdio, allowedHosts, apiKeyEnv, bearerEnv, engine } = options;
  const hasCredentials = (apiKeyEnv ?? bearerEnv) !== undefined;
  if (stdio && text !== undefined) throw new UserError("--listen and --stdio exclude each other; pass one of them.");
  if (stdio && hasCredentials)
    throw new UserError("--api-key-env and --bearer-env apply to HTTP only; remove them, or use --listen.");
  if (stdio && allowedHosts) throw new UserError("--allowed-hosts applies to HTTP only; remove it, or use --listen.");
  if (stdio && engine !== undefined) throw new UserError("--engine applies to HTTP only; remove it, or use --listen.");
  const hasCard = (options.card ?? options.publicUrl) !== undefined;
  if (stdio && hasCard) throw new UserError("--card applies to HTTP only; remove it, or use --listen.");
  if (stdio) return "stdio";
  if (text === undefined) throw new UserError("no transport is given; pass --listen 127.0.0.1:3000 or --stdio.");
  const address = readListenAddress(text);
  if (address.kind !== "http" && engine !== undefined)
    throw new UserError(`--engine applies to HTTP only; remove it, or use --listen without ${text.split("//")[0]}//.`);
  if (address.kind !== "http" && hasCard)
    throw new UserError(`--card applies to HTTP only; remove it, or use --listen without ${text.split("//")[0]}//.`);
  if (address.kind === "tcp") checkTcp(text, { address, isRestricted: hasCredentials || allowedHosts !== undefined });
  const authenticate = readGuard(options);
  const callers = { ...(allowedHosts && { allowedHosts }), ...(authenticate && { authenticate }) };
  if (!isLoopback(address.host)) checkOpen(text, callers);
  return { address, callers };
}

/** Rejects options without an equivalent over TCP: a connection has no headers. */
function checkTcp(
  text: string,
  { address, isRestricted }: { readonly address: ListenAddress; readonly isRestricted: boolean },
): void {
  if (isRestricted)
    throw new UserError(
      "--api-key-env, --bearer-env and --allowed-hosts apply to HTTP and ws:// only; remove them for tcp://.",
    );
  if (!isLoopback(address.host))
    throw new UserError(`--listen ${text} is open to other machines, and TCP has no authentication; use 127.0.0.1.`);
}

/** Rejects an address that other machines reach without credentials. */
function checkOpen(text: string, { allowedHosts, authenticate }: Callers): void {
  const open = `--listen ${text} is open to other machines`;
  if (!allowedHosts)
    throw new UserError(`${open}; pass the host names of this machine, as in --allowed-hosts mcp.example.org.`);
  if (!authenticate)
    throw new UserError(`${open}; pass the variable with the keys of clients, as in --api-key-env MCP_API_KEY.`);
}

function isLoopback(host: string): boolean {
  return ["localhost", "127.0.0.1", "::1"].includes(host);
}

/** Prints a failure of which clients of a gateway learn only in general terms. */
export function logProblem({
  kind,
  method,
  error,
}: {
  readonly kind: string;
  readonly method?: string;
  readonly error: Error;
}): void {
  if (kind === "ignored") return;
  // The message may quote text of a server or a client.
  console.error(outputLine(`${kind}${method === undefined ? "" : ` in ${method}`}: ${error.message}`, longestLine));
}

/** Maximum length of a line about a problem, in characters. */
const longestLine = 2_000;
