import { isObject, type Revision } from "../../../generated/support.ts";
import { errorCodes, hasName, isTimeoutError } from "../../jsonrpc/errors.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import type { NetworkDetails } from "../../jsonrpc/channel.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import type { ObservedConnection } from "../../protocol/session/telemetry.ts";
import { isToolFailure } from "../../server/middleware/middleware.ts";
import { redactText } from "../../server/middleware/redact.ts";
import { attributeKeys as keys, executeTool, invalidResponse, other, toolError } from "./conventions.ts";

/** Request or notification, sent or received. */
export interface OperationStart {
  /** `client` for the sender, `server` for the receiver. */
  readonly kind: "client" | "server";
  /** Method; `_OTHER` for a method unknown to every revision of the connection. */
  readonly method: string;
  readonly params: unknown;
  /** Absent for notifications. */
  readonly id?: RequestId;
  /** Revision of the message. In a handshake, it is known at the end of the operation only. */
  readonly revision: Revision | undefined;
  readonly role: ObservedConnection["role"];
  readonly network: NetworkDetails | undefined;
  readonly sessionId: string | undefined;
}

/** Response to a request, or what has happened instead of one. */
export type OperationEnd =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly code: number; readonly message: string }
  /** With a response that cannot be read. */
  | { readonly kind: "invalid"; readonly message: string }
  /** Without a response. */
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "sent" };

/** Attributes of OpenTelemetry whose values are text or numbers. */
export type TextAttributes = Record<string, string | number>;

/** Target of an operation. */
export interface Target {
  readonly kind: "tool" | "prompt" | "resource";
  /** Name or URI as the peer has sent it. */
  readonly name: string;
}

/** Returns the tool, the prompt or the resource named by a message. */
export function readOperationTarget(method: string, params: unknown): Target | undefined {
  if (!isObject(params)) return undefined;
  const { name, uri } = params;
  if (method === "tools/call") return typeof name === "string" ? { kind: "tool", name } : undefined;
  if (method === "prompts/get") return typeof name === "string" ? { kind: "prompt", name } : undefined;
  return resourceMethods.has(method) && typeof uri === "string" ? { kind: "resource", name: uri } : undefined;
}

const resourceMethods: ReadonlySet<string> = new Set([
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "notifications/resources/updated",
]);

/** Returns the attributes common to spans and durations, without the name of the target. */
export function toCommonAttributes(start: OperationStart): TextAttributes {
  return {
    [keys.method]: start.method,
    ...toConnectionAttributes(start),
    ...(start.method === "tools/call" && { [keys.operation]: executeTool }),
  };
}

/** Returns the attributes of a connection, with the address of the server at the client. */
export function toConnectionAttributes({
  revision,
  network,
  role,
}: Pick<OperationStart, "revision" | "network" | "role">): TextAttributes {
  const { transport, protocol, protocolVersion, address, port } = network ?? {};
  return {
    ...(revision && { [keys.protocolVersion]: revision.id }),
    ...(transport !== undefined && { [keys.transport]: transport }),
    ...(protocol !== undefined && { [keys.protocolName]: protocol }),
    ...(protocolVersion !== undefined && { [keys.networkProtocolVersion]: protocolVersion }),
    ...(role === "client" && address !== undefined && { [keys.serverAddress]: address }),
    ...(role === "client" && address !== undefined && port !== undefined && { [keys.serverPort]: port }),
  };
}

/** Returns the attributes of spans only: their values are not bounded in number. Text of the peer is redacted and shortened. */
export function toSpanAttributes({ id, role, network, sessionId }: OperationStart, target?: Target): TextAttributes {
  const { address, port } = network ?? {};
  return {
    ...(id !== undefined && { [keys.requestId]: redactText(String(id)) }),
    ...(sessionId !== undefined && { [keys.sessionId]: sessionId.slice(0, longestId) }),
    ...(role === "server" && address !== undefined && { [keys.clientAddress]: address }),
    ...(role === "server" && address !== undefined && port !== undefined && { [keys.clientPort]: port }),
    ...(target?.kind === "resource" && { [keys.resourceUri]: redactText(target.name) }),
  };
}

const longestId = 256;

/** Returns the attribute with the name of a tool or a prompt. */
export function toNameAttribute(target: Target | undefined, name: string): TextAttributes {
  if (!target || target.kind === "resource") return {};
  return { [target.kind === "tool" ? keys.tool : keys.prompt]: name };
}

/** Returns the attributes of a failure; none for success. */
export function toErrorAttributes(end: OperationEnd, method: string): TextAttributes {
  switch (end.kind) {
    case "sent":
      return {};
    case "result":
      return method === "tools/call" && isToolFailure(end.result) ? { [keys.errorType]: toolError } : {};
    case "error":
      return { [keys.errorType]: String(end.code), [keys.statusCode]: String(end.code) };
    case "invalid":
      return { [keys.errorType]: invalidResponse };
    case "failed":
      return { [keys.errorType]: toErrorType(end.error) };
    default:
      return end satisfies never;
  }
}

/** Returns the attributes of a failure for durations. Peers may send any code, but the number of different values must be small. */
export function toDurationErrors(end: OperationEnd, { method, revision }: OperationStart): TextAttributes {
  if (end.kind !== "error" || isKnownCode(end.code, revision)) return toErrorAttributes(end, method);
  return { [keys.errorType]: other, [keys.statusCode]: other };
}

/** True for a code of JSON-RPC, of the revision, or of a rejection. */
function isKnownCode(code: number, revision: Revision | undefined): boolean {
  const rules = Object.values(revision?.errors ?? {}).map((rule) => rule.code);
  return [...Object.values(errorCodes), ...Object.values(rejectionCodes), ...rules].includes(code);
}

/** Returns the type of an error without a response: `timeout`, `cancelled`, or the name of its class. */
export function toErrorType(error: unknown): string {
  if (isTimeoutError(error)) return "timeout";
  if (hasName(error, ["AbortError"])) return "cancelled";
  return error instanceof Error && /^[A-Z][A-Za-z]{0,63}$/.test(error.name) ? error.name : other;
}

/** Returns the description of a failure for the status of a span. */
export function toStatusMessage(end: OperationEnd): string | undefined {
  if (end.kind === "error" || end.kind === "invalid") return redactText(end.message);
  return end.kind === "failed" && end.error instanceof Error ? redactText(end.error.message) : undefined;
}
