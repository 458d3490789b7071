import { isObject, type Gate, type Revision } from "../../generated/support.ts";
import { listChanged, type ListKind } from "../protocol/list-kinds.ts";
import type { Capabilities } from "../protocol/session.ts";

/** What a server declares besides the methods that it answers. */
export interface Declared {
  // @part changes
  /** What may change while clients are connected. */
  readonly dynamic: ReadonlySet<ListKind>;
  // @part changes
  readonly subscriptions: boolean;
  /** Capabilities outside of the protocol. */
  readonly experimental: object | undefined;
  /** What features have declared. */
  readonly gates: readonly Gate[];
}

/**
 * What a server with these handlers declares at a revision: the gates of the methods that it answers, the one of log messages,
 * and those of what may change where there is somebody to tell. So nothing is declared that is not there, and nothing that the
 * revision does not know. An extension is declared wherever it is used.
 */
export function toCapabilities(handlers: object, revision: Revision, declares: Declared): Capabilities {
  const notified = new Set(["loggingMessage"]);
  // @part changes
  for (const name of findNews(handlers, revision, declares)) notified.add(name);
  const answered = Object.values(revision.clientRequests).filter((row) => Object.hasOwn(handlers, row.handler));
  const sent = Object.values(revision.serverNotifications).filter((row) => notified.has(row.handler));
  const gates = [...[...answered, ...sent].map((row) => row.gate), ...declares.gates];
  const declared = gates
    .filter((gate) => gate?.side === "server")
    .reduce<Capabilities>(
      (known, gate) => (gate ? declare(known, gate.path) : known),
      declares.experimental ? { experimental: declares.experimental } : {},
    );
  // @part extensions
  if (revision.extensions) return { ...declared, extensions: revision.extensions };
  return declared;
}

/** The notifications of changes, by handler name: those of lists, and those of resources wherever they are listened for. */
function findNews(handlers: object, { lifecycle }: Revision, { dynamic, subscriptions }: Declared): readonly string[] {
  const isHeard = Object.hasOwn(handlers, "subscriptionsListen");
  const lists = lifecycle === "handshake" || isHeard ? [...dynamic].map((kind) => listChanged[kind]) : [];
  return isHeard && subscriptions && Object.hasOwn(handlers, "readResource") ? [...lists, "resourceUpdated"] : lists;
}

/** All capabilities are objects, inside of which there may be others, but for two that are switches. */
function declare(declared: Capabilities, path: readonly string[]): Capabilities {
  const [name, ...rest] = path;
  if (name === undefined) return declared;
  const known = declared[name];
  return { ...declared, [name]: switches.has(name) || declare(isObject(known) ? known : {}, rest) };
}

const switches: ReadonlySet<string> = new Set(["listChanged", "subscribe"]);
