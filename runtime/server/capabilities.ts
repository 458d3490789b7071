import type { Gate, Revision } from "../../generated/support.ts";
import { listChanged, type ListKind } from "../protocol/methods/list-kinds.ts";
import { declareCapability } from "../protocol/session/declare-capability.ts";
import type { Capabilities } from "../protocol/session/session.ts";

/** Declarations of a server in addition to the methods it handles. */
export interface Declared {
  /** Lists that may change while clients are connected. */
  readonly listChanged: ReadonlySet<ListKind>;
  readonly subscribe: boolean;
  /** Capabilities outside of the protocol. */
  readonly experimental: object | undefined;
  /** Gates of the capabilities declared by features. */
  readonly gates: readonly Gate[];
}

/**
 * Returns the capabilities a server with these handlers declares at a revision. They follow from the methods it handles, from log messages, and from
 * the changes clients can be notified of. So the server declares only what it has and the revision defines. An extension is declared wherever it is
 * used.
 */
export function toCapabilities(handlers: object, revision: Revision, declares: Declared): Capabilities {
  const notified = new Set(["loggingMessage"]);
  for (const name of findChangeNotifications(handlers, revision, declares)) notified.add(name);
  const responded = Object.values(revision.clientRequests).filter((row) => Object.hasOwn(handlers, row.handler));
  const sent = Object.values(revision.serverNotifications).filter((row) => notified.has(row.handler));
  const gates = [...[...responded, ...sent].map((row) => row.gate), ...declares.gates];
  const declared = gates
    .filter((gate) => gate?.side === "server")
    .reduce<Capabilities>(
      (known, gate) => (gate ? declareCapability(known, gate.path) : known),
      declares.experimental ? { experimental: declares.experimental } : {},
    );
  if (revision.extensions) return { ...declared, extensions: revision.extensions };
  return declared;
}

/** Returns the notifications of changes, by handler name: those of lists, and those of resources where clients listen for them. */
function findChangeNotifications(
  handlers: object,
  { lifecycle }: Revision,
  { listChanged: kinds, subscribe }: Declared,
): readonly string[] {
  const canListen = Object.hasOwn(handlers, "subscriptionsListen");
  const lists = lifecycle === "handshake" || canListen ? [...kinds].map((kind) => listChanged[kind]) : [];
  return canListen && subscribe && Object.hasOwn(handlers, "readResource") ? [...lists, "resourceUpdated"] : lists;
}
