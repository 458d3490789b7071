import type { SessionValues } from "../../jsonrpc/channel.ts";
import type { EmptyCapability, Gate, Issue, Revision, Role } from "../../../generated/support.ts";
import { isObject } from "../../../generated/support.ts";

/** Name and version of a program, as in `clientInfo` and `serverInfo`. */
export interface ImplementationInfo {
  readonly name: string;
  readonly version: string;
  readonly [member: string]: unknown;
}

/** Identity of a program without a name. */
export const unknownImplementation: ImplementationInfo = Object.freeze({ name: "unknown", version: "" });

/** Declared capabilities; unknown ones are kept. */
export type Capabilities = Readonly<Record<string, unknown>>;

/** One end of a session: its identity and its declared capabilities. */
export interface PeerInfo {
  /** Absent where the peer may omit it at the revision, and did. */
  readonly info: ImplementationInfo | undefined;
  readonly capabilities: Capabilities;
}

/** Converts one end's messages to the session's revision, and received ones to the revision of its code. */
export interface SessionConverter {
  /** Revision of this end's code. */
  readonly written: Revision;
  /** Converts the params of a request or notification. */
  params(sent: ConvertedParams): unknown;
  /** Converts a result of the runtime itself, returned by no handler. */
  result(method: string, value: unknown): unknown;
  /** Converts valid params of the peer. */
  receivedParams(received: ConvertedParams): unknown;
  /** Converts a valid result of the peer. */
  receivedResult(method: string, value: unknown): unknown;
}

/** Params to convert, and their message. */
export interface ConvertedParams {
  readonly kind: "request" | "notification";
  readonly method: string;
  readonly params: unknown;
}

/** Agreement of both ends; fixed for the life of the connection. */
export interface Session {
  readonly revision: Revision;
  /** Role of this end of the connection. */
  readonly role: Role;
  readonly own: PeerInfo;
  readonly peer: PeerInfo;
  /** Advice of the server on its use. */
  readonly instructions: string | undefined;
  /** True for the session of one request or POST: nothing can be counted per session. */
  readonly isStateless?: boolean;
  /** Values of the session shared by other processes; absent where there are none. */
  readonly values?: SessionValues | undefined;
  /** Converts between the session's revision and the revision of this end's code; absent when both are the same. */
  readonly converter?: SessionConverter | undefined;
  /** Returns the metadata of each outgoing request; absent where a handshake has sent it once. */
  readonly toMetadata?: () => Readonly<Record<string, unknown>>;
  /** Checks the metadata given to an outgoing request. */
  readonly checkMetadata?: (meta: Readonly<Record<string, unknown>>) => Issue | undefined;
}

/** Agreement of a server and a client in a handshake elsewhere, or in the metadata of a stateless request. */
export interface NegotiatedSession {
  readonly revision: Revision;
  readonly client: PeerInfo;
  /** True if the agreement holds for one POST. */
  readonly isStateless?: boolean;
}

/** Reason for the rejection of a second `initialize`. */
export const alreadyInitialized = "The session is already initialized";

/** True if a checked value names a program. */
export function isImplementationInfo(value: unknown): value is ImplementationInfo {
  return isObject(value) && typeof value.name === "string" && typeof value.version === "string";
}

/** True if the capability behind a gate was declared by its side. */
export function isOpen(gate: Gate, session: Session): boolean {
  const party = gate.side === session.role ? session.own : session.peer;
  let value: unknown = party.capabilities;
  let depth = 0;
  for (const key of gate.path) {
    if (!isObject(value)) return false;
    if (value[key] === undefined) return isImplied(gate, depth, value, session.revision.emptyCapabilities);
    value = value[key];
    depth += 1;
  }
  return value === true || isObject(value);
}

/** True if an empty object implies one of its members: `elicitation: {}` for `form`. */
function isImplied(
  gate: Gate,
  depth: number,
  parent: Record<string, unknown>,
  rules: readonly EmptyCapability[],
): boolean {
  if (depth !== gate.path.length - 1 || Object.keys(parent).length > 0) return false;
  const path = gate.path.slice(0, depth).join("/");
  return rules.some(
    (rule) => rule.side === gate.side && rule.means === gate.path[depth] && rule.path.join("/") === path,
  );
}
