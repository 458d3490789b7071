import {
  changesIn,
  lossesOf,
  readConversions,
  readLosses,
  type Loss,
} from "../../generator/conversions/conversions.ts";
import type { Method, RevisionModel } from "../../generator/model.ts";

/**
 * Finds the losses a handler may meet: values in results, requests to the client and notifications that a revision cannot express. A definition does
 * not show whether its handler uses them. `written` is the revision the handlers are written for; newer features do not count.
 */
export function readPossibleLosses(
  models: readonly RevisionModel[],
  { target, written }: { readonly target: RevisionModel; readonly written: string },
): Loss[] {
  const conversions = readConversions(models, target);
  const changes = conversions.methods.flatMap(({ method, params, result }) => [
    ...(isSaidByServer(method) ? changesIn(params) : []),
    ...(callMethods.includes(method.name) ? changesIn(result) : []),
  ]);
  const said = changes.filter(({ since }) => since <= written);
  return [...lossesOf(said, conversions), ...readUnaskable(models, { target, written })];
}

/** Requests whose results a function of the user creates. Lists are created from definitions. */
const callMethods: readonly string[] = ["tools/call", "prompts/get", "resources/read", "completion/complete"];

function isSaidByServer({ senders, kind, name }: Method): boolean {
  return (senders.includes("server") || kind === "embedded") && name !== "notifications/cancelled";
}

/** Requests to the client that do not exist in the target revision yet. */
function readUnaskable(
  models: readonly RevisionModel[],
  { target, written }: { readonly target: RevisionModel; readonly written: string },
): Loss[] {
  const inputRequests = new Set(
    models
      .flatMap(({ methods }) => methods)
      .filter((method) => isSaidByServer(method) && method.kind !== "notification")
      .map(({ name }) => name),
  );
  const losses = readLosses(models, target).filter(({ rule }) => rule === "unavailable");
  return losses.filter(({ type, since }) => inputRequests.has(type) && !type.startsWith("tasks/") && since <= written);
}
