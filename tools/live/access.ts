import { longestTimer } from "../../runtime/internal/timers.ts";
import { findPlaceholder } from "../../runtime/internal/placeholder.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { describeUnset } from "./credentials.ts";
import { describeTarget, type Target } from "./target.ts";

/** Headers of requests to a server, and environment variables of its process. */
export interface Connection {
  readonly headers: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

/** Options of a connection to a server and of requests to it. */
export interface Access extends Connection {
  /** Milliseconds to wait for each response. */
  readonly timeout: number;
  /** Connect with HTTP with SSE, even if the address offers Streamable HTTP. */
  readonly sse: boolean;
}

/** Options of every command that connects to servers. */
export interface ConnectionFlags {
  /** `Name: value`. Visible to other users of the machine; secrets belong into `headerEnv`. */
  readonly header?: readonly string[];
  /** `Name=VARIABLE`: the value comes from an environment variable. */
  readonly headerEnv?: readonly string[];
  /** `NAME=value`, or `NAME` to pass on the variable of this process. */
  readonly env?: readonly string[];
}

/** Options of commands that send requests to a server and wait for the responses. */
export interface AccessFlags extends ConnectionFlags {
  /** Seconds to wait for each response. Default 30. */
  readonly timeout?: number;
  /** Connect with HTTP with SSE. Default: only when the server rejects Streamable HTTP. */
  readonly sse?: boolean;
}

/**
 * Reads the options. Error messages never repeat a value.
 *
 * @throws {UserError} when an option is invalid.
 */
export function readAccess(flags: AccessFlags): Access {
  const { timeout = 30, sse = false } = flags;
  if (!(timeout > 0)) throw new UserError("--timeout is not a number of seconds above 0; pass one such as 30.");
  // A longer timer would fire at once.
  return { ...readConnection(flags), timeout: Math.min(timeout * 1_000, longestTimer), sse };
}

/**
 * Reads the options of every command. Error messages never repeat a value.
 *
 * @throws {UserError} when an option is invalid.
 */
export function readConnection({ header = [], headerEnv = [], env = [] }: ConnectionFlags): Connection {
  return {
    headers: Object.fromEntries([...header.map(readHeader), ...headerEnv.map(readHeaderVariable)]),
    env: Object.fromEntries(env.map(readVariable)),
  };
}

/**
 * Rejects options the transport of a target does not support, and addresses with credentials.
 *
 * @throws {UserError} when there is such an option, or such an address.
 */
export function checkAccess(target: Target, { headers, sse = false }: Pick<Access, "headers"> & Partial<Access>): void {
  const { kind } = target;
  // `fetch` rejects such an address with an error that repeats it.
  if (kind === "url" && target.url.username + target.url.password !== "")
    throw new UserError(
      `${describeTarget(target)} has a user name or password; send them with --header-env Authorization=VARIABLE.`,
    );
  if (kind === "tcp" && Object.keys(headers).length > 0)
    throw new UserError(
      "--header does not apply to TCP, which has no headers; remove it, or use an http or ws address.",
    );
  if (sse && (kind === "tcp" || kind === "websocket"))
    throw new UserError("--sse applies to http and https addresses only; remove it.");
}

function readHeader(text: string): [string, string] {
  const [, name = "", value = ""] = /^([^:\s]+)\s*:\s*(.*)$/s.exec(text) ?? [];
  return checkHeader(name, value, "--header is malformed; write `Name: value`.");
}

function readHeaderVariable(text: string): [string, string] {
  const [, name = "", variable = ""] = /^([^=\s]+)=(\w+)$/.exec(text) ?? [];
  if (name === "")
    throw new UserError(
      "--header-env is malformed; write `Name=VARIABLE`, for example Authorization=MCP_AUTHORIZATION.",
    );
  const value = process.env[variable];
  if (value === undefined || findPlaceholder(value) !== undefined)
    throw new UserError(
      `--header-env: the environment variable ${variable} is ${describeUnset(variable)}; set it first.`,
    );
  return checkHeader(name, value, `--header-env: the value of ${variable} is not a valid header value.`);
}

function checkHeader(name: string, value: string, advice: string): [string, string] {
  if (findPlaceholder(value) !== undefined)
    throw new UserError(`--header ${name}: the host did not fill in its placeholder; enter a value there.`);
  try {
    new Headers([[name, value]]);
    return [name, value];
  } catch {
    throw new UserError(advice);
  }
}

function readVariable(text: string): [string, string] {
  const [, name = "", given] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(text) ?? [];
  const value = given ?? process.env[name];
  if (name === "")
    throw new UserError("--env is malformed; write `NAME=value`, or `NAME` to pass on its current value.");
  if (value === undefined)
    throw new UserError(`--env: the environment variable ${name} is not set; set it, or write ${name}=value.`);
  if (findPlaceholder(value) !== undefined)
    throw new UserError(`--env ${name}: the host did not fill in its placeholder; enter a value there.`);
  return [name, value];
}
