import { isObject, type Gate, type Revision } from "../../generated/support.ts";
import { listChanged, type ListKind } from "../common/lists.ts";
import type { Capabilities } from "../rpc/session.ts";

/**
 * What a server with these handlers declares at a revision: the gates of the methods that it answers, the one of log messages,
 * and those of the lists that may change where there are sessions to tell. So nothing is declared that is not there, and nothing
 * that the revision does not know.
 */
export function toCapabilities(handlers: object, revision: Revision, dynamic: ReadonlySet<ListKind>): Capabilities {
  const notified = new Set(["loggingMessage"]);
  if (revision.lifecycle === "handshake") for (const kind of dynamic) notified.add(listChanged[kind]);
  const answered = Object.values(revision.clientRequests).filter((row) => Object.hasOwn(handlers, row.handler));
  const sent = Object.values(revision.serverNotifications).filter((row) => notified.has(row.handler));
  const gates = [...answered, ...sent].map((row) => row.gate).filter((gate) => gate?.side === "server");
  return gates.reduce<Capabilities>((declared, gate) => (gate ? declare(declared, gate) : declared), {});
}

/** Areas such as `tools` are objects, the features inside them switches. */
function declare(declared: Capabilities, { path }: Gate): Capabilities {
  const [area, feature] = path;
  if (area === undefined) return declared;
  const known = declared[area];
  const members = isObject(known) ? known : {};
  return { ...declared, [area]: feature === undefined ? members : { ...members, [feature]: true } };
}
