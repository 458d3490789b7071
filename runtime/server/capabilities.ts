import { isObject, type Gate, type Revision } from "../../generated/support.ts";
import type { Capabilities } from "../rpc/session.ts";

/**
 * What a server with these handlers declares at a revision: the gates of the methods that it answers, and the one of log
 * messages. So nothing is declared that is not there, and nothing that the revision does not know.
 */
export function toCapabilities(handlers: object, revision: Revision): Capabilities {
  const answered = Object.values(revision.clientRequests).filter((row) => Object.hasOwn(handlers, row.handler));
  const logging = Object.values(revision.serverNotifications).filter((row) => row.handler === "loggingMessage");
  const gates = [...answered, ...logging].map((row) => row.gate).filter((gate) => gate?.side === "server");
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
