import type { EmptyCapability, Gate, Issue, Revision, Role } from "../../generated/support.ts";
import { isObject } from "../../generated/support.ts";
import type { RevisionConverter } from "./revision-converter.ts";

/** Names and versions a program, as `clientInfo` and `serverInfo` do. */
export interface ImplementationInfo {
  readonly name: string;
  readonly version: string;
  readonly [member: string]: unknown;
}

/** Stands for a program that did not say what it is. */
export const unknownImplementation: ImplementationInfo = Object.freeze({ name: "unknown", version: "" });

/** Declared capabilities; unknown ones are kept. */
export type Capabilities = Readonly<Record<string, unknown>>;

/** One end of a session: who it is and what it declared. */
export interface PeerInfo {
  /** Absent where the revision lets the other side leave it out, and it did. */
  readonly info: ImplementationInfo | undefined;
  readonly capabilities: Capabilities;
}

/** What both ends agreed on; fixed for the life of the connection. */
export interface Session {
  readonly revision: Revision;
  /** Which end we are. */
  readonly role: Role;
  readonly own: PeerInfo;
  readonly peer: PeerInfo;
  /** What the server says about its use. */
  readonly instructions: string | undefined;
  /** Whether it is that of one request or POST, so that nothing can be counted by it. */
  readonly isStateless?: boolean;
  // @part older, questions, tasks
  /** How what we send becomes what this revision has; absent when our code is written for it. */
  readonly converter?: RevisionConverter | undefined;
  // @part client, questions, tasks
  /** What each of our requests carries in its metadata; absent where a handshake has said it once. */
  readonly toMetadata?: () => Readonly<Record<string, unknown>>;
  // @part client, questions, tasks
  /** Looks at metadata that one of our requests is given. */
  readonly checkMetadata?: (meta: Readonly<Record<string, unknown>>) => Issue | undefined;
}

/** What a server and a client agreed on, in a handshake that took place elsewhere. */
export interface Agreement {
  readonly revision: Revision;
  readonly client: PeerInfo;
  /** It holds for one POST. */
  readonly isStateless?: boolean;
}

/** Whether a checked value names a program. */
export function isImplementationInfo(value: unknown): value is ImplementationInfo {
  return isObject(value) && typeof value.name === "string" && typeof value.version === "string";
}

/** Whether the capability behind a gate was declared by the side that must. */
export function isOpen(gate: Gate, session: Session): boolean {
  const party = gate.side === session.role ? session.own : session.peer;
  let value: unknown = party.capabilities;
  // @part questions, tasks
  let depth = 0;
  for (const key of gate.path) {
    if (!isObject(value)) return false;
    // @part questions, tasks
    if (value[key] === undefined) return isImplied(gate, depth, value, session.revision.emptyCapabilities);
    value = value[key];
    // @part questions, tasks
    depth += 1;
  }
  return value === true || isObject(value);
}

/** An empty object may stand for one of its members: `elicitation: {}` for `form`. */
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
