import type { Revision } from "../../generated/support.ts";
import { examineAuthorization } from "../../tools/check/auth/examine-authorization.ts";
import { chooseHttpWires } from "../../tools/check/wires/http-wires.ts";
import { chooseHosts } from "../../tools/check/hosts/profiles.ts";
import { createSseWires } from "../../tools/check/wires/sse-wire.ts";
import { createStdioWires } from "../../tools/check/wires/stdio-wire.ts";
import { examine } from "../../tools/check/examine.ts";
import { findingsOf, severities, type CheckReport, type Severity } from "../../tools/check/finding.ts";
import { emitJson } from "../../tools/check/report/json.ts";
import { emitJunit } from "../../tools/check/report/junit.ts";
import { emitSarif } from "../../tools/check/report/sarif.ts";
import { emitText } from "../../tools/check/report/text.ts";
import { createTcpWires } from "../../tools/check/wires/tcp-wire.ts";
import { createWebSocketWires } from "../../tools/check/wires/websocket-wire.ts";
import type { WireFactory } from "../../tools/check/wires/wire.ts";
import { readVariable } from "../../runtime/internal/placeholder.ts";
import { isHandshake } from "../../runtime/lifecycle/negotiation.ts";
import { checkAccess, readAccess, type Access, type AccessFlags } from "../../tools/live/access.ts";
import { describeUnset } from "../../tools/live/credentials.ts";
import { chooseRevisions } from "../../tools/live/choose-revisions.ts";
import { resolveCard } from "../../tools/live/server-card.ts";
import { describeTarget, readTarget, type Target } from "../../tools/live/target.ts";
import { adviseVariable } from "../../tools/live/variables.ts";
import { packageVersion } from "../../generator/internal/package-info.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { printReport } from "./report.ts";
import { runUntilExit } from "./stop-signal.ts";
import { openSpecRevisions, type SpecFlags } from "./spec-revisions.ts";

/** Options of `create-mcp-server check`. */
export interface CheckCommandOptions extends AccessFlags, SpecFlags {
  /** A command and its arguments, or an address. */
  readonly target: readonly string[];
  /** Examine the authorization of a server over HTTP, instead of its messages. */
  readonly auth?: boolean;
  /** Environment variable with an access token to examine. */
  readonly tokenEnv?: string;
  /** Hosts whose documented rules are checked, separated by commas. */
  readonly hosts?: readonly string[];
  /** Protocol revision to use. */
  readonly protocol?: string;
  readonly format: "text" | "json" | "junit" | "sarif";
  /** File for the report. Default: standard output. */
  readonly output?: string;
  /** Lowest severity that makes the command fail. */
  readonly failOn: Severity;
}

/** `create-mcp-server check`: examines a server. Returns the exit code. Started processes end with this process, if it exits in order. */
export function runCheck(options: CheckCommandOptions): Promise<number> {
  return runUntilExit(() => check(options));
}

async function check(options: CheckCommandOptions): Promise<number> {
  const access = readAccess(options);
  const target = await resolveCard(readTarget(options.target, { takesFiles: false }), access);
  const report = await (options.auth ? checkAuthorization : checkMessages)(target, access, options);
  await printReport(render(report, options.format), options.output);
  return findingsOf(report).some(({ severity }) => severities.indexOf(severity) <= severities.indexOf(options.failOn))
    ? 1
    : 0;
}

async function checkMessages(target: Target, access: Access, options: CheckCommandOptions): Promise<CheckReport> {
  if (options.tokenEnv !== undefined)
    throw new UserError("--token-env is for the examination of the authorization; add --auth.");
  const hosts = options.hosts && chooseHosts(options.hosts);
  const { revisions } = await openSpecRevisions(options);
  const spoken = chooseRevisions(options.protocol, revisions);
  return examine(await createWires(target, access, spoken), {
    target: describeTarget(target),
    revisions: spoken,
    headers: Object.keys(access.headers),
    ...(hosts && { hosts }),
    onStep: showStep,
    advise: (rejection) => (target.kind === "command" ? adviseVariable(rejection, { given: access.env }) : ""),
  });
}

async function checkAuthorization(
  target: Target,
  { headers, timeout, sse }: Access,
  { tokenEnv, protocol, hosts }: CheckCommandOptions,
): Promise<CheckReport> {
  if (target.kind !== "url")
    throw new UserError("--auth is for servers over HTTP; pass an address such as https://example.org/mcp.");
  if (protocol !== undefined || sse || hosts)
    throw new UserError("--auth does not depend on a revision or a host; remove --protocol, --sse and --host.");
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization"))
    throw new UserError("--auth begins without a token; remove the Authorization header, and use --token-env.");
  const token = tokenEnv === undefined ? undefined : readToken(tokenEnv);
  return examineAuthorization({ url: target.url, headers, timeout, onStep: showStep, ...(token && { token }) });
}

/** Reads a token from an environment variable. Command lines are visible to other users of the machine. */
function readToken(variable: string): string {
  const token =
    readVariable(process.env, variable)
      ?.replace(/^Bearer /i, "")
      .trim() ?? "";
  if (token === "")
    throw new UserError(
      `--token-env: the environment variable ${variable} is ${describeUnset(variable)}; set it first.`,
    );
  if (/^[\w~+/.-]+=*$/.test(token)) return token;
  throw new UserError(`--token-env: the value of ${variable} is not an access token; correct it.`);
}

/** Prints the current step on a terminal: a silent server keeps the user waiting, and the line shows for what. */
function showStep(text: string): void {
  if (process.stderr.isTTY) console.error(`${text} ...`);
}

async function createWires(target: Target, access: Access, spoken: readonly Revision[]): Promise<WireFactory> {
  const { headers, env, timeout, sse } = access;
  checkAccess(target, access);
  if (sse && !spoken.some(isHandshake))
    throw new UserError("--sse needs a revision with sessions, and that of --protocol has none; remove one of them.");
  switch (target.kind) {
    case "command":
      return createStdioWires({ command: target.command, args: target.args, env, timeout });
    case "url":
      return sse
        ? createSseWires({ url: target.url, headers, timeout })
        : chooseHttpWires({ url: target.url, headers, timeout }, spoken);
    case "websocket":
      return createWebSocketWires({ url: target.url, headers, timeout });
    case "tcp":
      return createTcpWires({ host: target.host, port: target.port, timeout });
    case "file":
      throw new UserError(`${target.path} is a file, not a server; pass a command (after --) or an address.`);
    default:
      return target satisfies never;
  }
}

function render(report: CheckReport, format: CheckCommandOptions["format"]): string {
  switch (format) {
    case "text":
      return emitText(report);
    case "json":
      return emitJson(report);
    case "junit":
      return emitJunit(report);
    case "sarif":
      return emitSarif(report, packageVersion());
    default:
      return format satisfies never;
  }
}
