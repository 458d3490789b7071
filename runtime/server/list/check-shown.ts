import type { Revision } from "../../../generated/support.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import { SetupError, toError } from "../../jsonrpc/errors.ts";
import { checkMetaOf } from "../check-meta.ts";
import { checkScopeNames } from "../scopes.ts";
import type { Scoped } from "../any-definition.ts";

/** Requests for the lists of a server, by the member of their results with the entries. */
const requests = {
  tools: { method: "tools/list", handler: "listTools" },
  resources: { method: "resources/list", handler: "listResources" },
  resourceTemplates: { method: "resources/templates/list", handler: "listResourceTemplates" },
  prompts: { method: "prompts/list", handler: "listPrompts" },
} as const;

/** Place of a definition in what a server offers. */
export interface Offer {
  /** Kind and name of the definition, for messages. */
  readonly title: string;
  readonly member: keyof typeof requests;
  /** Definition in the form shown in lists at the first of the revisions. */
  readonly entry: object;
  readonly revisions: readonly Revision[];
}

/**
 * Checks the metadata and the scopes of a definition, and its entry in the list of each revision.
 *
 * @throws {SetupError} at the first mistake
 */
export function checkOffer(definition: Scoped, { title, member, entry, revisions }: Offer): void {
  checkMetaOf(definition, title);
  checkVisible(definition, title);
  checkScopeNames(title, definition.scopes ?? []);
  const [written] = revisions;
  try {
    for (const revision of revisions) checkShown(entry, { member, revision, written });
  } catch (error) {
    throw new SetupError(`${title}: ${toError(error).message}`, { cause: error });
  }
}

/**
 * Checks that the function `visible` of a definition returns no promise, as far as it can be known before it is called.
 *
 * @throws {SetupError} when it is asynchronous, or no function
 */
export function checkVisible(definition: object, title: string): void {
  const visible: unknown = Reflect.get(definition, "visible");
  const kind = Object.prototype.toString.call(visible);
  if (visible === undefined || kind === "[object Function]") return;
  throw new SetupError(`${title}: visible has to be a function that returns true or false without a promise`);
}

/**
 * Checks that an entry fits the list of a revision. A list with a wrong entry would reach no client.
 *
 * @throws {Error} when the entry has a member the revision does not permit, or cannot be encoded
 */
export function checkShown(
  entry: unknown,
  {
    member,
    revision,
    written,
  }: {
    readonly member: keyof typeof requests;
    readonly revision: Revision;
    /** Revision of the entries as they are written. They are converted for every other. */
    readonly written: Revision | undefined;
  },
): void {
  const { method, handler } = requests[member];
  const list = { [member]: [entry] };
  const convert = revision === written ? undefined : revision.conversions?.clientRequests[method]?.result;
  const issue = findRow(revision.clientRequests, handler)?.result(convert?.(list) ?? list);
  if (!issue) return checkEncoding(entry);
  const path = issue.path.split("/").slice(2).join("/");
  const advice = path.startsWith("outputSchema") ? "; wrap the output in an object" : "";
  throw new Error(`revision ${revision.id} requires ${issue.expected}${path === "" ? "" : ` at ${path}`}${advice}`);
}

function checkEncoding(entry: unknown): void {
  try {
    JSON.stringify(entry);
  } catch (error) {
    throw new Error("it cannot be encoded as JSON; remove cycles and bigints from its members", { cause: error });
  }
}
