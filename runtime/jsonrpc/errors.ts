import { isObject, type Gate, type Issue, type Revision } from "../../generated/support.ts";
import type { FramingProblem } from "./channel.ts";
import type { ErrorObject } from "./message.ts";
import { shorten } from "../internal/shorten.ts";

/** Error codes of JSON-RPC itself, the same in every revision. */
export const errorCodes: {
  readonly parseError: -32700;
  readonly invalidRequest: -32600;
  readonly methodNotFound: -32601;
  readonly invalidParams: -32602;
  readonly internalError: -32603;
} = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
};

/**
 * Error with a code. When a handler throws it, the peer receives its code, message and data. The cause stays local.
 *
 * @example
 * ```ts
 * import { errorCodes, RpcError } from "mcp-server-runtime";
 *
 * throw new RpcError(errorCodes.invalidParams, "The city is unknown", { data: { city: "Atlantis" } });
 * ```
 */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, options: { readonly data?: unknown; readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "RpcError";
    this.code = code;
    this.data = options.data;
  }

  /** Converts anything thrown to an error for the peer. Values not meant for the peer become a plain internal error. */
  static from(thrown: unknown): RpcError {
    if (isSendable(thrown)) return thrown;
    return new RpcError(errorCodes.internalError, "Internal error", { cause: thrown });
  }
}

/** Error response of the peer to a call. When a handler throws it again, it is not forwarded to the other side. */
export class PeerError extends RpcError {
  constructor(error: ErrorObject) {
    super(error.code, error.message, { data: error.data });
    this.name = "PeerError";
  }
}

/** Rejection of a request by the peer, because it needs capabilities that were not declared with it. */
export class MissingCapabilityError extends PeerError {
  /** Capabilities to be declared, in the form of declared capabilities. */
  readonly requiredCapabilities: Readonly<Record<string, unknown>>;

  constructor(error: ErrorObject, requiredCapabilities: Readonly<Record<string, unknown>>) {
    super(error);
    this.name = "MissingCapabilityError";
    this.requiredCapabilities = requiredCapabilities;
  }
}

/** The peer no longer serves the negotiated revision, and has not processed the request. Connect again to agree on another revision. */
export class UnsupportedVersionError extends PeerError {
  /** Revisions served by the peer now. */
  readonly supported: readonly string[];

  constructor(error: ErrorObject, supported: readonly string[]) {
    const advice = "connect again or use the option `reconnect`";
    super({
      ...error,
      message: `${error.message}; the server now supports ${shorten(supported.join(", ")) || "none"}; ${advice}`,
    });
    this.name = "UnsupportedVersionError";
    this.supported = supported;
  }
}

/**
 * Error in the setup of a server: the message says why, and what to do. Its stack is not needed: when nothing catches the error, a Node program ends
 * with the message in one line and exit code 1. `NODE_DEBUG=mcp` shows the stack.
 */
export class SetupError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "SetupError";
    watchUncaught();
  }
}

/** No response arrived within the timeout. */
export class TimeoutError extends Error {
  readonly method: string;
  readonly milliseconds: number;

  constructor(method: string, milliseconds: number) {
    super(`The request ${method} timed out after ${milliseconds} ms; increase its timeout if it takes longer`);
    this.name = "TimeoutError";
    this.method = method;
    this.milliseconds = milliseconds;
  }
}

/** The response to a request arrived, but cannot be read: it is too long or too deep, or has a number that cannot be read exactly. */
export class UnusableResponseError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnusableResponseError";
  }
}

/** The connection is closed, or closed before the response arrived. */
export class ClosedError extends Error {
  /** True if nothing of the call was sent: retrying it on another connection cannot repeat any effect. */
  readonly unsent: boolean;

  constructor(message: string, options: { readonly cause?: unknown; readonly unsent?: boolean } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "ClosedError";
    this.unsent = options.unsent ?? false;
  }
}

/** A message was not sent because the peer has left no stream open on which it could receive it now. */
export class UnreachableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnreachableError";
  }
}

/** Creates the error of calls whose connection closed. */
export function closedEarly(cause: Error | undefined): ClosedError {
  return new ClosedError("The connection was closed before the response was received", { cause });
}

/** A message was not sent because a needed capability was not declared. */
export class CapabilityError extends Error {
  readonly method: string;
  readonly gate: Gate;
  /** True if the message belongs to no session, in which the capability could have been declared. */
  readonly isStateless: boolean;

  constructor(method: string, gate: Gate, { isStateless = false }: { readonly isStateless?: boolean } = {}) {
    super(`${method} was not sent: the ${gate.side} has not declared the capability ${gate.path.join(".")}`);
    this.name = "CapabilityError";
    this.method = method;
    this.gate = gate;
    this.isStateless = isStateless;
  }
}

/** A message does not fit the negotiated revision: an outgoing one was not sent, an incoming one was not used. */
export class InvalidMessageError extends Error {
  readonly method: string;
  readonly part: "params" | "result";
  readonly issue: Issue;

  constructor(method: string, part: "params" | "result", issue: Issue) {
    super(`The ${part} of ${method} ${describeIssue({ ...issue, path: shorten(issue.path) })}`);
    this.name = "InvalidMessageError";
    this.method = method;
    this.part = part;
    this.issue = issue;
  }
}

/** Client and server have no revision in common. */
export class VersionError extends Error {
  readonly requested: readonly string[];
  readonly offered: readonly string[];

  constructor(requested: readonly string[], offered: readonly string[]) {
    super(
      `Unsupported protocol version; the client supports ${requested.join(", ")}, the server ${shorten(offered.join(", "))}`,
    );
    this.name = "VersionError";
    this.requested = requested;
    this.offered = offered;
  }
}

/** True if a value is an `RpcError`, also one of another copy of this package. */
export function isRpcError(value: unknown): value is RpcError {
  return hasName(value, ["RpcError", ...peerErrors]);
}

/** True if a value is an error response of the peer. */
export function isPeerError(value: unknown): value is PeerError {
  return hasName(value, peerErrors);
}

/** True if a value is an `UnsupportedVersionError`, also one of another copy of this package. */
export function isUnsupportedVersionError(value: unknown): value is UnsupportedVersionError {
  return hasName(value, ["UnsupportedVersionError"]);
}

/** True if a value is a `MissingCapabilityError`, also one of another copy of this package. */
export function isMissingCapabilityError(value: unknown): value is MissingCapabilityError {
  return hasName(value, ["MissingCapabilityError"]);
}

/** Converts an error response of the peer to the specific error defined by a revision. Returns any other value unchanged. */
export function toPeerError(error: unknown, revision: Revision | undefined): unknown {
  if (!isPeerError(error) || !isObject(error.data) || !revision) return error;
  const { code, message, data } = error;
  const { requiredCapabilities, supported } = error.data;
  const { missingRequiredClientCapability, unsupportedProtocolVersion } = revision.errors;
  if (code === missingRequiredClientCapability?.code && isObject(requiredCapabilities))
    return new MissingCapabilityError({ code, message, data }, requiredCapabilities);
  if (code === unsupportedProtocolVersion?.code && Array.isArray(supported))
    return new UnsupportedVersionError({ code, message, data }, supported.filter(isText));
  return error;
}

/** True if a value is a `TimeoutError`, also one of another copy of this package. */
export function isTimeoutError(value: unknown): value is TimeoutError {
  return hasName(value, ["TimeoutError"]) && value instanceof Error && "milliseconds" in value;
}

/** True if a value is a `ClosedError`, also one of another copy of this package. */
export function isClosedError(value: unknown): value is ClosedError {
  return hasName(value, ["ClosedError"]);
}

/** True if a value is an `InvalidMessageError`, also one of another copy of this package. */
export function isInvalidMessageError(value: unknown): value is InvalidMessageError {
  return hasName(value, ["InvalidMessageError"]);
}

/** True if a value is an `UnusableResponseError`, also one of another copy of this package. */
export function isUnusableResponseError(value: unknown): value is UnusableResponseError {
  return hasName(value, ["UnusableResponseError"]);
}

/** True if a value is an `UnreachableError`, also one of another copy of this package. */
export function isUnreachableError(value: unknown): value is UnreachableError {
  return hasName(value, ["UnreachableError"]);
}

/** True if a value is a `CapabilityError`, also one of another copy of this package. */
export function isCapabilityError(value: unknown): value is CapabilityError {
  return hasName(value, ["CapabilityError"]);
}

/** Error of a request whose process stops handling it. */
export const serverShutdown: ErrorObject = {
  code: errorCodes.internalError,
  message: "The server shut down before the request was settled",
};

/** Error of a request whose node of a cluster is gone. */
export const nodeGone: ErrorObject = {
  code: errorCodes.internalError,
  message: "The node that handled the request is gone; its effects are unknown",
  data: { lost: true },
};

/** Creates the error of a request whose params do not fit; `data.path` says where. */
export function invalidParams(issue: Issue): RpcError {
  const data = { ...issue, path: shorten(issue.path) };
  return new RpcError(errorCodes.invalidParams, `Invalid params: ${describeIssue(data)}`, { data });
}

/** Creates the error of a method missing here, or without a handler. */
export function methodNotFound(method: string): RpcError {
  return new RpcError(errorCodes.methodNotFound, "Method not found", { data: { method: shorten(method) } });
}

/** Creates the error of a cursor that leads to no page. */
export function unknownCursor(): RpcError {
  return new RpcError(errorCodes.invalidParams, "Invalid cursor; request the list without a cursor");
}

/** Returns the code of the error response to an unreadable message. */
export function toProblemCode({ kind }: FramingProblem): number {
  if (kind === "syntax" || kind === "encoding") return errorCodes.parseError;
  return kind === "numbers" ? errorCodes.invalidParams : errorCodes.invalidRequest;
}

/** Creates the error of a message other than a request, or of a request at the wrong moment. */
export function invalidRequest(message: string): RpcError {
  return new RpcError(errorCodes.invalidRequest, message);
}

/** Returns an error as it is sent: code, message and data, never cause or stack. */
export function toErrorObject(error: RpcError): ErrorObject {
  const { code, message, data } = error;
  return data === undefined ? { code, message } : { code, message, data };
}

/** Converts anything thrown to an `Error`. */
export function toError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error) return thrown;
  } catch {
    // A proxy may throw on any operation.
  }
  return new Error("The thrown value is not an Error", { cause: thrown });
}

/** True if a thrown value is meant for the peer and can be read: its members may have been replaced, or may throw. */
function isSendable(thrown: unknown): thrown is RpcError {
  try {
    if (!isRpcError(thrown) || isPeerError(thrown)) return false;
    const { code, message } = toErrorObject(thrown);
    return Number.isInteger(code) && typeof message === "string";
  } catch {
    return false;
  }
}

const peerErrors: readonly string[] = ["PeerError", "MissingCapabilityError", "UnsupportedVersionError"];

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function describeIssue(issue: Issue): string {
  return issue.path === "" ? `must be ${issue.expected}` : `at ${issue.path} must be ${issue.expected}`;
}

/** True if a value is an error with one of these names. The name is compared, because emitted projects and libraries may carry copies of a class. */
export function hasName(value: unknown, names: readonly string[]): boolean {
  try {
    return value instanceof Error && names.includes(value.name);
  } catch {
    // Getters and proxies of a thrown value may throw.
    return false;
  }
}

const uncaught = "uncaughtExceptionMonitor";

/**
 * Watches for uncaught errors. Watching changes nothing for other errors, or where a program handles them itself. Outside Node there is nothing to
 * watch.
 */
function watchUncaught(): void {
  const { process } = globalThis;
  if (typeof process?.listeners !== "function" || process.listeners(uncaught).includes(endWithLine)) return;
  process.on(uncaught, endWithLine);
}

function endWithLine(error: unknown): void {
  const { process } = globalThis;
  const isDebugged = /\bmcp\b/i.test(process.env.NODE_DEBUG ?? "");
  if (!(error instanceof SetupError) || isDebugged || process.listenerCount("uncaughtException") > 0) return;
  const line = `[mcp] ${error.message} (set NODE_DEBUG=mcp to print the stack)\n`;
  process.once("uncaughtException", () => process.stderr.write(line, () => process.exit(1)));
}
