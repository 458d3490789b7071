import { isObject, type Revision } from "../../generated/support.ts";
import { findRow } from "../protocol/method-rows.ts";
import {
  RpcError,
  errorCodes,
  isCapabilityError,
  isClosedError,
  isPeerError,
  isTimeoutError,
  methodNotFound,
} from "../jsonrpc/errors.ts";
import { omit } from "../protocol/known-members.ts";
import { unknownImplementation, type Capabilities, type Session } from "../protocol/session.ts";
import { withoutSessionMembers } from "../server/input/ask-client.ts";
import { createEnvelope } from "../server/envelope.ts";
import { pickExtensions } from "./extensions.ts";
import type { Principal } from "./upstream.ts";

/*
 * What the converters cannot know: how values of older revisions become values of the newest, where some things have gone. Going to an older
 * revision is the business of its own converters.
 */

/**
 * Represents a client of the gateway at the server, with what it declares of the extensions that it can use there. Extensions are none where
 * neither the client nor its revision knows that capability.
 */
export function toPrincipal({ peer, revision }: Session): Principal {
  const { info = unknownImplementation, capabilities } = peer;
  const { extensions, ...rest } = capabilities;
  const readsExtensions = isObject(extensions) || revision.capabilities.client.includes("extensions");
  const picked = pickExtensions(capabilities, revision);
  return { info, capabilities: { ...rest, ...(readsExtensions && { extensions: {} }), ...picked } };
}

/** Capabilities of a client as a server of this revision may learn of them. Tasks of the client would need it to be asked again later. */
export function toServerCapabilitiesOf({ info, capabilities }: Principal, revision: Revision): Capabilities {
  const convert = revision.conversions?.clientRequests["initialize"]?.params;
  const { extensions, ...rest } = capabilities;
  const whole = convert?.({ protocolVersion: revision.id, capabilities: rest, clientInfo: info });
  const given = isObject(whole) && isObject(whole.capabilities) ? whole.capabilities : rest;
  // In a handshake servers declare extensions only to clients that have that capability, which older revisions allow as an additional one.
  const asks = revision.lifecycle === "handshake" && revision.extensions !== undefined && isObject(extensions);
  const picked = pickExtensions(capabilities, revision);
  return { ...keepPassed(given, revision.capabilities.client), ...(asks && { extensions: {} }), ...picked };
}

/** Capabilities of a server as its clients at a revision may learn of them, but for tasks of the core. */
export function toClientCapabilitiesOf(capabilities: Capabilities, revision: Revision): Capabilities {
  const ids = Object.keys(revision.extensions ?? {});
  const extensions = ids.length > 0 ? { extensions: revision.extensions } : {};
  return { ...keepPassed(capabilities, revision.capabilities.server), ...extensions };
}

/**
 * What of declared capabilities a gateway can keep the promise of: what the revision knows. Methods and results that nobody here knows do not pass,
 * so that what stands for them is not declared either: experiments, and whatever else is new.
 *
 * @param paths - the capabilities of the revision
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

/** Tasks and extensions are declared by who has them. */
const notPassed: ReadonlySet<string> = new Set(["experimental", "tasks", "extensions"]);

/** A result as a revision without sessions wants it; for others their converters do everything. */
export function toResult(result: unknown, handler: string, revision: Revision): unknown {
  if (revision.lifecycle === "handshake" || !isObject(result)) return result;
  const { result: complete, cacheable } = createEnvelope(revision);
  const { task: _task, ...members } = result;
  const shown = Array.isArray(members.tools) ? { ...members, tools: members.tools.map(withoutExecution) } : members;
  return { ...(cacheableHandlers.has(handler) ? cacheable() : complete), ...shown };
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

/** A question of a server as a part of a result: without what belongs to a message, or to sessions. */
export function toEmbedded(params: object): object {
  const { _meta, ...rest }: Record<string, unknown> = { ...params };
  return withoutSessionMembers(rest);
}

/** Params or a result as they go on: each side is told by the gateway itself who the other one is, and the gateway follows progress. */
export function toForwarded(params: unknown, revision: Revision): Record<string, unknown> {
  const given = isObject(params) ? params : {};
  if (!isObject(given._meta)) return given;
  const reserved = new Set(["progressToken", ...revision.reservedMeta.map(({ key }) => key)]);
  const kept = Object.entries(given._meta).filter(([key]) => !reserved.has(key));
  const { _meta, ...rest } = given;
  return kept.length > 0 ? { ...rest, _meta: Object.fromEntries(kept) } : rest;
}

/** A result of a server without rounds, without the members of those that ask for input: here they say something else. */
export function withoutRounds(result: unknown, { knownMembers }: Revision): unknown {
  if (knownMembers.includes("Result.resultType") || !isObject(result)) return result;
  return "inputRequests" in result || "requestState" in result ? omit(result, "inputRequests", "requestState") : result;
}

/** The refusal of a server as clients of a revision know it. What was not sent is not offered. */
export function toRefusal(thrown: unknown, method: string, revision: Revision): unknown {
  if (isCapabilityError(thrown)) return methodNotFound(thrown.method);
  if (isTimeoutError(thrown)) return failure(`The server has said nothing for ${thrown.milliseconds} ms`, thrown);
  if (isClosedError(thrown)) return failure("The server has closed the connection", thrown);
  if (!isPeerError(thrown)) return thrown;
  const { message, data } = thrown;
  return new RpcError(toCode(thrown, method, revision), message, data === undefined ? {} : { data });
}

function failure(message: string, cause: Error): RpcError {
  return new RpcError(errorCodes.internalError, message, { cause });
}

/** That a resource does not exist has another code where there are no sessions; and every revision has codes that others lack. */
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
