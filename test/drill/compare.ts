import { readLosses } from "../../generator/conversions/conversions.ts";
import { readSpecModels } from "../../generator/read/spec-models.ts";
import { emitReference } from "../../tools/reference/pages.ts";
import type { ContractChange } from "../../generator/typed-client/contract/impact.ts";
import { compareRevisionModels } from "../../tools/diff/revisions.ts";
import { openSpecFolder } from "../../generator/read/spec-folder.ts";
import { after, before, type Drawn } from "./draw.ts";
import type { Step } from "./step.ts";

/** Comparison line required for a change. Its detail contains the text `detail`. */
interface Line {
  readonly kind: ContractChange["kind"];
  readonly subject: string;
  readonly detail?: string;
}

/** Compares the fictional revision with the one before: every drawn change has a line, and no other. */
export async function compare(step: Step, drawn: Drawn, spec: string): Promise<void> {
  const folder = await openSpecFolder(spec);
  const [older, newer] = [await folder.readModel(before), await folder.readModel(after)];
  const { changes } = compareRevisionModels(older, newer, [older, newer]);
  const lines = linesOf(drawn);
  for (const line of lines) {
    const isListed = changes.some((change) => isLine(change, line));
    step.check(`${line.subject} is ${line.kind}${line.detail === undefined ? "" : ` (${line.detail})`}`, isListed);
  }
  const strays = changes.filter((change) => !lines.some((line) => isLine(change, line)));
  step.expect(
    "lines without a change",
    strays.map(({ subject, detail }) => `${subject}: ${detail}`),
    [],
  );
}

/** Writes the pages about the protocol, and lists what clients of the revision before do not get: both name what was drawn. */
export async function readPages(step: Step, drawn: Drawn, spec: string): Promise<void> {
  const { models, extensions } = await readSpecModels(spec);
  const { method, inputRequest, notification, optional, required, content } = drawn;
  const text = [...emitReference(models, extensions).values()].join("\n");
  for (const name of [after, method.method, method.header, inputRequest.method, notification.method, content.type])
    step.check(`the pages name ${name}`, text.includes(name));
  const target = models.find(({ id }) => id === before);
  if (!target) throw new Error(`${before} is not in the spec folder`);
  const losses = readLosses(models, target).map(({ type, member }) => [type, ...(member ? [member] : [])].join("."));
  const members = [...optional, ...(required.isKnown ? [] : [required])].map(({ type, member }) => `${type}.${member}`);
  for (const name of [...members, `ContentBlock.${content.type}`, method.method, inputRequest.method])
    step.check(`${name} is listed as a loss`, losses.includes(name), losses);
}

function isLine({ kind, subject, detail }: ContractChange, line: Line): boolean {
  return kind === line.kind && subject === line.subject && detail.includes(line.detail ?? "");
}

function linesOf(drawn: Drawn): readonly Line[] {
  const { method, inputRequest, notification, optional, required, content, enumValue, logLevel } = drawn;
  const { errorCode, newError, removedMember } = drawn;
  const notes: readonly Line[] = [
    { kind: "added", subject: "type Note" },
    { kind: "added", subject: "type ServerCapabilities.notes" },
  ];
  const types = [
    `${method.type}Request`,
    `${method.type}RequestParams`,
    `${method.type}Result`,
    `${inputRequest.type}Request`,
    `${inputRequest.type}Result`,
    `${notification.type}Notification`,
    `${notification.type}NotificationParams`,
    content.type,
  ];
  return [
    { kind: "added", subject: `method ${method.method}` },
    { kind: "added", subject: `method ${inputRequest.method}` },
    { kind: "added", subject: `method ${notification.method}` },
    { kind: "added", subject: `header ${method.header}`, detail: "required" },
    { kind: "changed", subject: `error ${errorCode.name}`, detail: `from ${errorCode.from} to ${errorCode.to}` },
    ...types.map((name): Line => ({ kind: "added", subject: `type ${name}` })),
    { kind: "removed", subject: `type ${drawn.removedType}` },
    { kind: "added", subject: `type ClientCapabilities.${inputRequest.capability}` },
    ...optional.flatMap(({ type, member }) => withHeirs(type).map((one) => added(one, member, "optional"))),
    required.isKnown
      ? { kind: "changed", subject: `type ${required.type}.${required.member}`, detail: "now required" }
      : added(required.type, required.member, "required"),
    ...(method.item === "Note" ? notes : []),
    { kind: "added", subject: `error ${newError.name}`, detail: `${newError.code}` },
    { kind: "changed", subject: `type ${enumValue.place}`, detail: enumValue.to },
    { kind: "changed", subject: "type LoggingLevel", detail: logLevel.to },
    // Types missing in one revision are written out.
    { kind: "changed", subject: "type ContentBlock", detail: `"${content.value}"` },
    { kind: "changed", subject: "type InputRequest", detail: inputRequest.method },
    { kind: "changed", subject: "type InputResponse", detail: inputRequest.reply },
    ...(drawn.isSampled ? [sampled(content.value)] : []),
    ...withHeirs(removedMember.type).map((type) => removed(type, removedMember.member)),
    ...(removedUses[drawn.removedType] ?? []),
  ];
}

function added(type: string, member: string, state: string): Line {
  return { kind: "added", subject: `type ${type}.${member}`, detail: `added as ${state}` };
}

function removed(type: string, member: string): Line {
  return { kind: "removed", subject: `type ${type}.${member}` };
}

function sampled(value: string): Line {
  return { kind: "changed", subject: "type SamplingMessageContentBlock", detail: `"${value}"` };
}

/** Returns a type and the types inheriting its members. */
function withHeirs(type: string): readonly string[] {
  return type === "Resource" ? [type, "ResourceLink"] : [type];
}

/** Lines for the uses of a removed type. */
const removedUses: Readonly<Record<string, readonly Line[]>> = {
  LegacyTitledEnumSchema: [{ kind: "changed", subject: "type EnumSchema", detail: "enumNames" }],
  ModelHint: [{ kind: "removed", subject: "type ModelPreferences.hints" }],
  ToolChoice: [{ kind: "removed", subject: "type CreateMessageRequestParams.toolChoice" }],
};
