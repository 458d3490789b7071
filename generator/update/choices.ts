import { chooseRevisions, type RevisionEntry } from "../create/catalogue.ts";
import type { LayerChoices } from "../create/layer/choices.ts";
import { readReach, readServe, toOffers } from "../create/project-choices.ts";

/** Requested changes of an installed layer; absent members stay as they are. */
export interface Wish {
  /** Revisions, as for a new project. */
  readonly protocol?: string;
  /** Offerings, as for a new project. */
  readonly serve?: string;
  /** Transports: stdio, http or both, with websocket or tcp in addition. */
  readonly transport?: string;
  /** True to include a client, false to remove it. */
  readonly client?: boolean;
}

/** Applies requested changes to the choices of a layer, with the revisions of a catalogue. @throws {UserError} when a change is not possible. */
export function toChoices(old: LayerChoices, wish: Wish, catalogue: readonly RevisionEntry[]): LayerChoices {
  return {
    ...old,
    revisions: chooseRevisions(wish.protocol ?? old.revisions.join(","), catalogue),
    offers: wish.serve === undefined ? old.offers : toOffers(readServe(wish.serve)),
    transports: wish.transport === undefined ? old.transports : readReach(wish.transport, old),
    client: wish.client ?? old.client,
  };
}

/** True if the new choices remove something that the project's code may use. */
export function isLess(old: LayerChoices, next: LayerChoices): boolean {
  return (
    old.offers.some((offering) => !next.offers.includes(offering)) ||
    old.transports.some((transport) => !next.transports.includes(transport)) ||
    (old.client && !next.client)
  );
}

/** Describes the changed choices, except revisions, and the steps that the project needs for them, one line each. */
export function describeChoices(old: LayerChoices, next: LayerChoices): readonly string[] {
  const lines: string[] = [];
  if (old.offers.join() !== next.offers.join())
    lines.push(`It offers ${next.offers.join(", ")}; before, it was ${old.offers.join(", ")}.`);
  if (next.offers.includes("skills") && !old.offers.includes("skills"))
    lines.push("Skills are read with the package yaml: npm install --save-dev yaml");
  if (next.transports.includes("websocket") && !old.transports.includes("websocket"))
    lines.push("WebSockets are served with the package ws: npm install --save-dev ws @types/ws");
  if (old.transports.join() !== next.transports.join())
    lines.push(
      `It is reached over ${next.transports.join(" and ")}; before, over ${old.transports.join(" and ")}. Its tests still do what test/links.ts says.`,
    );
  if (old.client !== next.client) lines.push(next.client ? "It is a client, too." : "It is no client any more.");
  return lines;
}
