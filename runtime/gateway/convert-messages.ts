import { isObject, type RequestRow, type Revision } from "../../generated/support.ts";
import { findRow } from "../protocol/methods/method-rows.ts";
import {
  RpcError,
  errorCodes,
  isCapabilityError,
  isClosedError,
  isInvalidMessageError,
  isPeerError,
  isTimeoutError,
  isUnusableResponseError,
  methodNotFound,
} from "../jsonrpc/errors.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import { checkResult } from "../protocol/peer/routes.ts";
import { omit } from "../protocol/revision/known-members.ts";
import { unknownImplementation, type Capabilities, type Session } from "../protocol/session/session.ts";
import { withoutSessionMembers } from "../server/input/send-input-request.ts";
import { createEnvelope } from "../protocol/revision/envelope.ts";
import { pickExtensions } from "./extensions.ts";
import type { Principal } from "./principal.ts";

/*
 * Conversions that the revision converters do not cover: values of older revisions become values of the newest, where some members were
 * removed. Conversions to an older revision are left to its own converter.
 */

/**
 * Returns a client of the gateway as a principal at the server, with its declarations of the extensions it can use there. The principal has no
 * `extensions` capability if neither the client nor its revision knows it.
 */
export function toPrincipal({ peer, revision }: Session): Principal {
  const { info = unknownImplementation, capabilities } = peer;
  const { extensions, ...rest } = withContext(capabilities, revision);
  const readsExtensions = isObject(extensions) || revision.capabilities.client.includes("extensions");
  const picked = pickExtensions(capabilities, revision);
  return { info, capabilities: { ...rest, ...(readsExtensions && { extensions: {} }), ...picked } };
}

/** Adds the capability for context of servers to a sampling client at a revision without it: there, servers may request context freely. */
function withContext(capabilities: Capabilities, revision: Revision): Capabilities {
  const { sampling } = capabilities;
  if (!isObject(sampling) || revision.capabilities.client.includes("sampling.context")) return capabilities;
  return { ...capabilities, sampling: { ...sampling, context: {} } };
}

/** Returns the capabilities of a client as sent to a server of this revision, without tasks: these would need later requests to the client. */
export function toServerCapabilitiesOf({ info, capabilities }: Principal, revision: Revision): Capabilities {
  const convert = revision.conversions?.clientRequests["initialize"]?.params;
  const { extensions, ...rest } = capabilities;
  const whole = convert?.({ protocolVersion: revision.id, capabilities: rest, clientInfo: info });
  const given = isObject(whole) && isObject(whole.capabilities) ? whole.capabilities : rest;
  // In a handshake, servers declare extensions only to clients with that capability, which older revisions allow as an additional one.
  const asks = revision.lifecycle === "handshake" && revision.extensions !== undefined && isObject(extensions);
  const picked = pickExtensions(capabilities, revision);
  return { ...keepPassed(given, revision.capabilities.client), ...(asks && { extensions: {} }), ...picked };
}

/** Returns the capabilities of a server as sent to its clients at a revision, without tasks of the core protocol. */
export function toClientCapabilitiesOf(capabilities: Capabilities, revision: Revision): Capabilities {
  const ids = Object.keys(revision.extensions ?? {});
  const extensions = ids.length > 0 ? { extensions: revision.extensions } : {};
  return { ...keepPassed(capabilities, revision.capabilities.server), ...extensions };
}

/**
 * Returns the declared capabilities a gateway can fulfil: those known to the revision. Methods and results unknown to the gateway do not pass, so
 * their capabilities are not declared either: experimental ones, and everything else new.
 *
 * @param paths - capabilities of the revision, as paths with dots
 */
function keepPassed(capabilities: Capabilities, paths: readonly string[]): Capabilities {
  const kept = Object.entries(capabilities).filter(([name]) => paths.includes(name) && !notPassed.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, isObject(value) ? keepMembers(value, name, paths) : value]),
  );
}

function keepMembers(value: Record<string, unknown>, name: string, paths: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([member]) => paths.includes(`${name}.${member}`)));
}

/** Capabilities kept from the other side. The side with tasks or extensions declares them. */
const notPassed: ReadonlySet<string> = new Set(["experimental", "tasks", "extensions"]);

/** Returns a result in the form of a revision without sessions. For other revisions, their converters do everything. */
export function toResult(result: unknown, handler: string, revision: Revision): unknown {
  if (revision.lifecycle === "handshake" || !isObject(result)) return result;
  const { result: complete, cacheable } = createEnvelope(revision);
  const { task: _task, ...members } = result;
  const shown = Array.isArray(members.tools) ? { ...members, tools: members.tools.map(withoutExecution) } : members;
  return { ...(cacheableHandlers.has(handler) ? cacheable() : complete), ...shown };
}

/**
 * Returns a result in the form of a client's revision. Members of an older server may be invalid where they have a meaning only there: they are read
 * as those of the server's own revision are.
 *
 * @throws {InvalidMessageError} when it does not fit
 */
export function toCheckedResult(
  result: unknown,
  row: RequestRow,
  { client, server, onError }: { readonly client: Revision; readonly server: Revision; readonly onError: OnError },
): unknown {
  const shown = toResult(result, row.handler, client);
  // To an older revision, the result is converted later.
  if (client.id < server.id) return shown;
  const { method } = row;
  const onChange = (text: string): void => onError({ kind: "protocol", method, error: new Error(text) });
  // What an older server has sent was converted to the newest revision.
  const convert = client.received && client.conversions?.clientRequests[method]?.result;
  return checkResult(row, convert ? convert(shown) : shown, { onChange });
}

const cacheableHandlers: ReadonlySet<string> = new Set([
  "listTools",
  "listResources",
  "listResourceTemplates",
  "listPrompts",
  "readResource",
  "listSkills",
  "getSkill",
]);

function withoutExecution(tool: unknown): unknown {
  if (!isObject(tool)) return tool;
  const { execution: _execution, ...rest } = tool;
  return rest;
}

/** Returns a request of a server as an input request inside of a result, without members of messages or sessions. */
export function toEmbedded(params: object): object {
  const { _meta, ...rest }: Record<string, unknown> = { ...params };
  return withoutSessionMembers(rest);
}

/**
 * Returns params or a result to pass on, without reserved metadata of the revisions: the gateway itself names each side to the other, and follows
 * progress.
 */
export function toForwarded(params: unknown, ...revisions: readonly Revision[]): Record<string, unknown> {
  const given = isObject(params) ? params : {};
  if (!isObject(given._meta)) return given;
  const keys = revisions.flatMap(({ reservedMeta }) => reservedMeta.map(({ key }) => key));
  const reserved = new Set(["progressToken", ...keys]);
  const kept = Object.entries(given._meta).filter(([key]) => !reserved.has(key));
  const { _meta, ...rest } = given;
  return kept.length > 0 ? { ...rest, _meta: Object.fromEntries(kept) } : rest;
}

/** Removes members of input-required results from the result of a server without such results: there they have another meaning. */
export function withoutInputRequired(result: unknown, { knownMembers }: Revision): unknown {
  if (knownMembers.includes("Result.resultType") || !isObject(result)) return result;
  return "inputRequests" in result || "requestState" in result ? omit(result, "inputRequests", "requestState") : result;
}

/** Returns the error of a server as clients of a revision know it. If a request was not sent, the error is an unknown method. */
export function toConversionRejection(thrown: unknown, method: string, revision: Revision): unknown {
  if (isCapabilityError(thrown)) return methodNotFound(thrown.method);
  if (isTimeoutError(thrown))
    return failure(`Request timed out; the server sent nothing for ${thrown.milliseconds} ms`, thrown);
  if (isClosedError(thrown)) return failure("The server has closed the connection", thrown);
  if (isUnusableResponseError(thrown))
    return failure(`The server's response is not passed on: ${thrown.message}`, thrown);
  if (isInvalidMessageError(thrown)) return failure(thrown.message, thrown);
  if (!isPeerError(thrown)) return thrown;
  const { message, data } = thrown;
  return new RpcError(toCode(thrown, method, revision), message, data === undefined ? {} : { data });
}

function failure(message: string, cause: Error): RpcError {
  return new RpcError(errorCodes.internalError, message, { cause });
}

/**
 * Returns an error code for a revision. A missing resource has another code at revisions without sessions, and every revision has codes unknown to
 * others.
 */
function toCode({ code, data }: RpcError, method: string, revision: Revision): number {
  const notFound = revision.errors.resourceNotFound;
  const isMissing = code === legacyNotFound || (code === errorCodes.invalidParams && isObject(data) && "uri" in data);
  const isRead = findRow(revision.clientRequests, "readResource")?.method === method;
  if (isRead && isMissing) return notFound?.emitted ? notFound.code : errorCodes.invalidParams;
  const isKnown = Object.values(revision.errors).some((rule) => rule.code === code && rule.emitted);
  const isReserved = code <= -32_020 && code >= -32_099;
  return isReserved && !isKnown ? errorCodes.invalidRequest : code;
}

const legacyNotFound = -32_002;
