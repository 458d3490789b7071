import { basename } from "node:path";
import { createGateway, type Gateway } from "../../runtime/gateway/index.ts";
import { emitComparison, type ReportFormat } from "../../tools/diff/report/emit.ts";
import { countText, outputLine } from "../../generator/internal/text.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { readAccess, type AccessFlags } from "../../tools/live/access.ts";
import { chooseRevisions } from "../../tools/live/choose-revisions.ts";
import { readServerAddress, toServer } from "../../tools/live/server-address.ts";
import { explainUnreachable } from "../../tools/live/unreachable.ts";
import { testServer } from "../../tools/replay/against/test-server.ts";
import { createMockServer } from "../../tools/replay/mock-server.ts";
import { readRecording } from "../../tools/replay/read-recording.ts";
import type { Recording } from "../../tools/replay/recording.ts";
import { isAtLeast, type Impact } from "../../generator/typed-client/contract/impact.ts";
import { printReport, reportProblem } from "./report.ts";
import { openSpecRevisions, type SpecFlags } from "./spec-revisions.ts";
import { logProblem, serveUntilStopped, type ServingFlags } from "./serve-gateway.ts";

/** Options of `create-mcp-server replay`. */
export interface ReplayCommandOptions extends Omit<ServingFlags, "stdio">, AccessFlags, SpecFlags {
  /** The recording. */
  readonly file: string;
  /** Test a server with the recording, instead of serving a mock. */
  readonly against: boolean;
  /** The server to test: an address, a module, or a command and its arguments. */
  readonly server: readonly string[];
  /** Revision for the connection to the server. Default: the recorded one. */
  readonly protocol?: string;
  /** Ends of the paths of ignored members. */
  readonly ignore: readonly string[];
  readonly format: ReportFormat;
  /** File for the report. Default: standard output. */
  readonly output?: string;
  /** Lowest impact on clients that makes the command fail. */
  readonly failOn: Impact;
}

/** `create-mcp-server replay`: serves a mock from a recording, or tests a server with it. Returns the exit code. */
export async function runReplay(options: ReplayCommandOptions): Promise<number> {
  const serving = { ...options, stdio: options.listen === undefined };
  if (!options.against) return serveUntilStopped(serving, (signal) => openMock(options, signal));
  try {
    return await test(options);
  } catch (error) {
    return reportProblem(error);
  }
}

async function openMock(options: ReplayCommandOptions, signal: AbortSignal): Promise<Gateway> {
  const { file, server, protocol, ignore, output, header, headerEnv, env } = options;
  if (server.length > 0) throw new UserError("a server is given without --against; pass --against before the server.");
  if (protocol !== undefined)
    throw new UserError("--protocol applies to --against; a mock serves every revision, and the client chooses.");
  if (ignore.length > 0 || output !== undefined)
    throw new UserError("--ignore and --output apply to --against; remove them, or pass a server with --against.");
  if (header ?? headerEnv ?? env)
    throw new UserError("--header, --header-env and --env apply to --against; a mock connects to no server.");
  const tables = await openSpecRevisions(options);
  const { revisions, extensions } = tables;
  const recording = await readRecording(file, tables);
  printNotices(recording);
  const open = createMockServer(recording);
  return createGateway(open, { revisions, extensions, signal, shareConnections: true, onError: logProblem });
}

async function test(options: ReplayCommandOptions): Promise<number> {
  const { file, server, protocol, ignore, format, output, failOn, listen } = options;
  if (listen !== undefined) throw new UserError("--listen does not apply to --against; remove it.");
  if (options.apiKeyEnv ?? options.bearerEnv ?? options.allowedHosts)
    throw new UserError("--api-key-env, --bearer-env and --allowed-hosts do not apply to --against; remove them.");
  const access = readAccess(options);
  const place = await readServerAddress(server, access);
  const known = await openSpecRevisions(options);
  const { revisions } = known;
  const recording = await readRecording(file, known);
  const { revision: recorded } = recording;
  const [spoken = recorded] = chooseRevisions(protocol ?? recorded.id, revisions);
  printNotices(recording);
  const report = await testServer({
    recording,
    spoken,
    known,
    server: toServer(place),
    ignore,
    timeout: access.timeout,
  }).catch((cause: unknown) => {
    if (cause instanceof UserError) throw cause;
    throw new UserError(`the server cannot be tested: ${explainUnreachable(place, cause)}`, { cause });
  });
  for (const line of report.skipped) console.error(outputLine(`not sent: ${line}`));
  const comparison = {
    kind: "servers",
    older: `${basename(file)} (${recorded.id})`,
    newer: `${recording.header.server.name} at ${spoken.id}`,
    changes: report.changes,
    timeline: [],
    matrix: [],
    sides: [],
  } as const;
  await printReport(emitComparison(comparison, format), output);
  console.error(`${countText(report.compared, "response")} compared.`);
  return report.changes.some(({ client }) => isAtLeast(client, failOn)) ? 1 : 0;
}

function printNotices({ path, notices }: Recording): void {
  for (const notice of notices) console.error(outputLine(`${path}: ${notice}`));
}
