import type { Revision } from "../../generated/support.ts";
import { newMembers } from "./definition.ts";
import { after, type Drawn } from "./draw.ts";
import type { Step } from "./step.ts";

/** The tables of one revision, and what they are compared with. */
export interface TableChecks {
  readonly step: Step;
  readonly drawn: Drawn;
  readonly revision: Revision;
}

/** The checks of the new revision reject values of another type. Those of others do not know the members. */
export function checkTables(checks: TableChecks): void {
  const { step, drawn, revision } = checks;
  const isNew = revision.id === after;
  const { method, notification, inputRequest, removedType } = drawn;
  const tables: readonly (readonly [string, object])[] = [
    [method.method, revision.clientRequests],
    [notification.method, revision.serverNotifications],
    [inputRequest.method, revision.embeddedRequests],
  ];
  for (const [name, table] of tables)
    step.expect(`${name} in the tables of ${revision.id}`, Object.hasOwn(table, name), isNew);
  const { isKnown } = drawn.required;
  for (const { type, member, wrong } of [...drawn.optional, drawn.required].filter((one) => isListed(one.type))) {
    const isRejected = rejectsItem(checks, type, { [member]: wrong });
    const isChecked = isNew || (isKnown && member === drawn.required.member);
    step.expect(`${type}.${member} of another type at ${revision.id} is rejected`, isRejected, isChecked);
  }
  const { type, member } = drawn.required;
  step.expect(`a complete ${type} at ${revision.id} is rejected`, rejectsItem(checks, type, {}), false);
  const isRequired = rejectsItem(checks, type, { [member]: undefined });
  step.expect(`${type} without ${member} at ${revision.id} is rejected`, isRequired, isNew);
  if (removedType !== "LegacyTitledEnumSchema") expectUnchecked(checks);
}

const items: Readonly<Record<string, { readonly method: string; readonly member: string; readonly item: object }>> = {
  Tool: { method: "tools/list", member: "tools", item: { name: "a", inputSchema: { type: "object" } } },
  Resource: { method: "resources/list", member: "resources", item: { uri: "test://a", name: "a" } },
  ResourceTemplate: {
    method: "resources/templates/list",
    member: "resourceTemplates",
    item: { uriTemplate: "test://{a}", name: "a" },
  },
  Prompt: { method: "prompts/list", member: "prompts", item: { name: "a" } },
};

/** True if a type is the item of a list, or part of one. */
function isListed(type: string): boolean {
  return type === "PromptArgument" || Object.hasOwn(items, type);
}

/** True if a client rejects a list whose item has other members than it should. */
function rejectsItem({ drawn, revision }: TableChecks, type: string, members: object): boolean {
  const isArgument = type === "PromptArgument";
  const found = items[isArgument ? "Prompt" : type];
  const row = found && revision.clientRequests[found.method];
  if (!found || !row) throw new Error(`${revision.id} has no list of ${type}`);
  const own = { ...newMembers(drawn, type), ...members };
  const item = isArgument
    ? { ...found.item, ...newMembers(drawn, "Prompt"), arguments: [{ name: "a", ...own }] }
    : { ...found.item, ...own };
  // As a message carries it: members without a value are absent.
  const result: unknown = JSON.parse(JSON.stringify({ ...envelope, [found.member]: [item] }));
  return row.result(result) !== undefined;
}

const envelope = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

/** Members whose type was removed are no longer checked at the new revision. */
function expectUnchecked({ step, drawn, revision }: TableChecks): void {
  const row = revision.embeddedRequests["sampling/createMessage"];
  if (!row) return;
  const removed = drawn.removedType === "ToolChoice" ? { toolChoice: 5 } : { modelPreferences: { hints: 5 } };
  const issue = row.params({ messages: [], maxTokens: 1, ...removed });
  step.expect(
    `members of ${drawn.removedType} at ${revision.id} are checked`,
    issue !== undefined,
    revision.id !== after,
  );
}
