import { connectUpstream, createGateway, type Gateway } from "../../runtime/gateway/index.ts";
import { readConnection, type ConnectionFlags } from "../../tools/live/access.ts";
import { chooseRevisions } from "../../tools/live/choose-revisions.ts";
import { limitRevision } from "../../tools/live/limit-revision.ts";
import { readServerAddress, toServer } from "../../tools/live/server-address.ts";
import { explainUnreachable } from "../../tools/live/unreachable.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { createRecorder, type Recorder, type RecordingFlags } from "../../tools/replay/write-recording.ts";
import { logProblem, serveUntilStopped, type ServingFlags } from "./serve-gateway.ts";
import { openSpecRevisions, type SpecFlags } from "./spec-revisions.ts";

/** Options of `create-mcp-server gateway`. */
export interface GatewayCommandOptions extends ServingFlags, ConnectionFlags, RecordingFlags, SpecFlags {
  /** The server: an address, a module, or a command and its arguments. */
  readonly server: readonly string[];
  /** Let unauthenticated calls without a session share connections to the server. */
  readonly shareConnections: boolean;
  /** Seconds without a message of the server after which a request fails. Default: no limit. */
  readonly timeout?: string;
  /** Only revision for the connection to the server. Default: the newest one supported by the server. */
  readonly protocol?: string;
}

/** `create-mcp-server gateway`: serves any server at every revision until it is stopped. Returns the exit code. */
export async function runGateway(options: GatewayCommandOptions): Promise<number> {
  let recorder: Recorder | undefined;
  const code = await serveUntilStopped(options, async (signal) => {
    recorder = createRecorder(options);
    return open(options, { signal, recorder });
  });
  recorder?.close();
  return code;
}

interface Opening {
  readonly signal: AbortSignal;
  readonly recorder: Recorder | undefined;
}

async function open(options: GatewayCommandOptions, { signal, recorder }: Opening): Promise<Gateway> {
  const gateway = await connect(options, { signal, recorder });
  try {
    recorder?.begin(gateway);
    return gateway;
  } catch (error) {
    await gateway.close();
    throw error;
  }
}

async function connect(options: GatewayCommandOptions, { signal, recorder }: Opening): Promise<Gateway> {
  const { timeout, shareConnections, protocol } = options;
  const idleTimeout = readTimeout(timeout);
  const place = await readServerAddress(options.server, readConnection(options));
  const { revisions, extensions } = await openSpecRevisions(options);
  const [only] = protocol === undefined ? [] : chooseRevisions(protocol, revisions);
  try {
    const server = connectUpstream(toServer(place));
    return await createGateway(only ? limitRevision(server, only) : server, {
      revisions,
      extensions,
      onError: logProblem,
      signal,
      idleTimeout,
      shareConnections,
      ...(recorder && { onTraffic: recorder.record }),
    });
  } catch (cause) {
    throw new UserError(`the server cannot be reached: ${explainUnreachable(place, cause)}`, { cause });
  }
}

/** Reads seconds and returns milliseconds; `Infinity` without a limit. */
function readTimeout(text: string | undefined): number {
  if (text === undefined) return Infinity;
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  if (seconds > 0) return seconds * 1_000;
  throw new UserError(`--timeout ${text} is not a number of seconds; pass one such as 60, or omit it for no limit.`);
}
