import { pageClient } from "../../tools/inspect/sessions.ts";
import { shareProgram } from "../../tools/inspect/shared-program.ts";
import { startInspector, type Inspector } from "../../tools/inspect/inspector.ts";
import { toObservedServer } from "../../tools/inspect/connect-server.ts";
import { followDevelopment, isForDevelopment } from "../../tools/inspect/developed-server.ts";
import { openPage } from "../../tools/inspect/open-page.ts";
import { readConnection, type ConnectionFlags } from "../../tools/live/access.ts";
import { readServerAddress } from "../../tools/live/server-address.ts";
import { describeTarget, readTarget } from "../../tools/live/target.ts";
import { explainUnreachable } from "../../tools/live/unreachable.ts";
import { outputLine } from "../../generator/internal/text.ts";
import { explainCause, UserError } from "../../generator/internal/user-error.ts";
import { createRecorder, type Recorder, type RecordingFlags } from "../../tools/replay/write-recording.ts";
import { runUntilStopped, untilStopped } from "./stop-signal.ts";
import { openSpecRevisions, type SpecFlags } from "./spec-revisions.ts";

/** Options of `create-mcp-server inspect`. */
export interface InspectCommandOptions extends ConnectionFlags, RecordingFlags, SpecFlags {
  /** The server: an address, a module, or a command and its arguments. */
  readonly server: readonly string[];
  /** Port of the page. Default: any free port. */
  readonly port?: number;
  /** Open the page in the browser of the user. */
  readonly open: boolean;
}

/** `create-mcp-server inspect`: serves a page to call a server and see every message, until it is stopped. Returns the exit code. */
export function runInspect(options: InspectCommandOptions): Promise<number> {
  return runUntilStopped(async (stopped) => {
    const recorder = createRecorder(options);
    try {
      await inspect(options, { signal: stopped, recorder });
      return 0;
    } finally {
      recorder?.close();
    }
  });
}

async function inspect(options: InspectCommandOptions, starting: Starting): Promise<void> {
  const inspector = await start(options, starting);
  try {
    starting.recorder?.begin(inspector.gateway);
    const { info, revision } = inspector.gateway;
    console.log(`${outputLine(info.name, 100)} (revision ${revision.id}) can be inspected at\n${inspector.url}`);
    if (options.open) openPage(inspector.createEntrance());
    const { signal } = starting;
    await (isForDevelopment() ? followDevelopment(inspector, signal) : untilStopped(signal));
  } finally {
    await inspector.close();
  }
}

interface Starting {
  readonly signal: AbortSignal;
  readonly recorder: Recorder | undefined;
}

async function start(options: InspectCommandOptions, { signal, recorder }: Starting): Promise<Inspector> {
  const port = readPort(options.port);
  const place = await readServerAddress(options.server, readConnection(options));
  const { revisions, extensions } = await openSpecRevisions(options);
  const target = describeTarget(readTarget(options.server, { takesFiles: false }));
  const early: string[] = [];
  const output: { add(text: string): void } = { add: (text) => void early.push(text) };
  const observed = toObservedServer(place, (text) => output.add(text));
  const server =
    place.kind === "command" && typeof observed === "function"
      ? shareProgram(observed, (revision) => pageClient(revision, extensions))
      : observed;
  try {
    const inspector = await startInspector(server, {
      target,
      revisions,
      extensions,
      signal,
      ...(port !== undefined && { port }),
      ...(recorder && { onTraffic: recorder.record }),
    });
    output.add = (text) => inspector.addOutput(text);
    for (const text of early) inspector.addOutput(text);
    return inspector;
  } catch (cause) {
    if (cause instanceof Error && cause.name === "ListenError") {
      throw new UserError(`--port ${port}: ${explainCause(cause)}`, { cause });
    }
    throw new UserError(`the server cannot be reached: ${explainUnreachable(place, cause)}`, { cause });
  }
}

function readPort(port: number | undefined): number | undefined {
  if (port === undefined || (Number.isInteger(port) && port >= 0 && port <= 65_535)) return port;
  throw new UserError("--port is not a port; pass a number from 0 to 65535 (0 for any free port).");
}
