import { isObject, type Gate, type Revision } from "../../generated/support.ts";
import { listChanged, type ListKind } from "../common/lists.ts";
import type { Capabilities } from "../rpc/session.ts";

/** What a server declares besides the methods that it answers. */
export interface Declared {
  /** What may change while clients are connected. */
  readonly dynamic: ReadonlySet<ListKind>;
  readonly subscriptions: boolean;
  /** What features have declared. */
  readonly gates: readonly Gate[];
}

/**
 * What a server with these handlers declares at a revision: the gates of the methods that it answers, the one of log messages,
 * and those of what may change where there is somebody to tell. So nothing is declared that is not there, and nothing that the
 * revision does not know. An extension is declared wherever it is used.
 */
export function toCapabilities(
  handlers: object,
  revision: Revision,
  { dynamic, subscriptions, gates: more }: Declared,
): Capabilities {
  const notified = new Set(["loggingMessage"]);
  const isHeard = Object.hasOwn(handlers, "subscriptionsListen");
  if (revision.lifecycle === "handshake" || isHeard) for (const kind of dynamic) notified.add(listChanged[kind]);
  if (isHeard && subscriptions && Object.hasOwn(handlers, "readResource")) notified.add("resourceUpdated");
  const answered = Object.values(revision.clientRequests).filter((row) => Object.hasOwn(handlers, row.handler));
  const sent = Object.values(revision.serverNotifications).filter((row) => notified.has(row.handler));
  const gates = [...[...answered, ...sent].map((row) => row.gate), ...more];
  const declared = gates
    .filter((gate) => gate?.side === "server")
    .reduce<Capabilities>((known, gate) => (gate ? declare(known, gate.path) : known), {});
  return { ...declared, ...(revision.extensions && { extensions: revision.extensions }) };
}

/** All capabilities are objects, inside of which there may be others, but for two that are switches. */
function declare(declared: Capabilities, path: readonly string[]): Capabilities {
  const [name, ...rest] = path;
  if (name === undefined) return declared;
  const known = declared[name];
  return { ...declared, [name]: switches.has(name) || declare(isObject(known) ? known : {}, rest) };
}

const switches: ReadonlySet<string> = new Set(["listChanged", "subscribe"]);
