import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readNames } from "../../generator/model/names.ts";
import { pinRevision, type PinReport } from "../../generator/pin/pin.ts";
import { after, before, type Drawn } from "./draw.ts";
import type { Step } from "./step.ts";

/** Conversion rule, as a person writes it into an overlay. */
interface Rule {
  readonly rule: string;
  readonly at: readonly string[];
  readonly reason: string;
  readonly value?: unknown;
}

/** Pins the fictional revision, and compares the printed decisions with the drawn changes. */
export async function pin(step: Step, drawn: Drawn, { spec, from }: Place): Promise<void> {
  const report = await pinRevision({ revision: after, from, spec });
  const { tag, inputRequest, method, notification, newError } = drawn;
  const { open, confirm } = report.decisions;
  step.check(
    "a warning names the unknown tag",
    report.warnings.some((text) => text.includes(`@${tag} `)),
  );
  step.expect("warnings", report.warnings.length, 1);
  const [first = "", names = ""] = open;
  const gone = goneNames(drawn);
  step.expect("open decisions", open.length, gone.length > 0 ? 2 : 1);
  step.check("the request inside of results is open", first.includes(`(${inputRequest.method})`), first);
  const [, listed = ""] = new RegExp(`^names: code uses (.*) of ${before}; `).exec(names) ?? [];
  const found = listed === "" ? [] : listed.split(", ");
  step.expect("names that code uses and that are gone are open", found.sort(), [...gone].sort());
  step.check(
    "the tag that does not fit is named",
    droppedOf(report).some((text) => text.startsWith("tags: ")),
  );
  const constant = `errors: the constant ${newError.constant} (${newError.code}) has no entry`;
  step.check(`${newError.constant} is listed`, confirm.includes(constant), confirm);
  for (const name of [method.method, notification.method])
    step.check(
      `${name} is listed with its capability`,
      confirm.some((text) => text.startsWith(`methods["${name}"]: new `)),
      confirm,
    );
}

/** Adds the facts stated only in the revision's prose, pins again, and adds a rule for each printed difference. */
export async function decide(step: Step, drawn: Drawn, { spec, from }: Place): Promise<void> {
  await edit(join(spec, after, "overlay.json"), (overlay) => addFacts(overlay, drawn));
  const report = await pinRevision({ revision: after, from, spec });
  step.expect("the completed overlay", report.overlay.kind, "kept");
  step.expect("extensions that do not fit", report.unfit, []);
  const rules = rulesFor(drawn);
  const printed = report.undecided.map(({ text }) => text);
  for (const { at } of rules)
    for (const name of at) {
      const isPrinted = printed.some((text) => text.includes(spelled(name)));
      step.check(`${name} is printed as undecided`, isPrinted, printed);
    }
  const names = rules.flatMap(({ at }) => at.map(spelled));
  const strays = printed.filter((text) => !names.some((name) => text.includes(name)));
  step.expect("differences that were not drawn", strays, []);
  step.check("at most five rules", rules.length <= 5, rules.length);
  const overlays = [...new Set(report.undecided.map(({ overlay }) => overlay))];
  step.expect("overlays that need rules", overlays, [`spec/${before}/overlay.json`]);
  await edit(join(spec, before, "overlay.json"), (overlay) => ({ ...overlay, conversions: rules }));
}

/** A spec folder, and the file of the fictional schema. */
export interface Place {
  readonly spec: string;
  readonly from: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Changes an overlay as an editor does. */
async function edit(path: string, change: (overlay: Json) => Json): Promise<void> {
  const overlay: Json = JSON.parse(await readFile(path, "utf8"));
  await writeFile(path, `${JSON.stringify(change(overlay), undefined, 2)}\n`);
}

const clause = `https://modelcontextprotocol.io/specification/${after}/changelog`;

/** Members removed with the type of their values. */
const usersOfTypes: Readonly<Record<string, string>> = {
  ModelHint: "ModelPreferences.hints",
  ToolChoice: "CreateMessageRequestParams.toolChoice",
};

/** Returns the names used in code and removed by the drawn changes, in the order of `spec/names.json`. */
function goneNames({ enumValue, logLevel, removedType, removedMember, errorCode }: Drawn): readonly string[] {
  const { values, declarations, members, errors } = readNames();
  const isRenamed = (at: string, value: string): boolean =>
    [{ place: "LoggingLevel", from: logLevel.from }, enumValue].some(
      ({ place, from }) => place === at && from === value,
    );
  const places = [...declarations, ...members.flatMap(({ of, members: own }) => own.map((name) => `${of}.${name}`))];
  const gone = [usersOfTypes[removedType], `${removedMember.type}.${removedMember.member}`];
  return [
    ...values.flatMap(({ at, values: own }) =>
      own.filter((value) => isRenamed(at, value)).map((value) => `${at}:${value}`),
    ),
    ...(places.some((place) => place.split(".", 1)[0] === removedType) ? [removedType] : []),
    ...places.filter((place) => gone.includes(place)),
    ...errors.flatMap(({ name, code }) => (name === errorCode.name && code !== undefined ? [name] : [])),
  ];
}

function addFacts(overlay: Json, drawn: Drawn): Json {
  const { inputRequest, method, newError } = drawn;
  const gone = goneNames(drawn);
  const { methods = {}, tags, headers, errors } = overlay;
  const responses = [
    { type: "ElicitResult", keys: ["action"] },
    { type: "ListRootsResult", keys: ["roots"] },
    { type: "CreateMessageResult", keys: ["role"] },
    { type: `${inputRequest.type}Result`, keys: [inputRequest.reply] },
  ];
  const header = {
    clause,
    name: method.header,
    source: `params.${method.param}`,
    methods: [method.method],
    required: true,
  };
  return {
    ...overlay,
    methods: { ...toObject(methods), [inputRequest.method]: { clause, kind: "embedded" } },
    tags: [...toList(tags), { clause, of: responses.map(({ type }) => type), presence: responses }],
    headers: [...toList(headers), header],
    errors: [...toList(errors), { clause, ...newError, emitted: true }],
    ...(gone.length > 0 && { removed: [{ clause, names: gone }] }),
  };
}

function toObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a rule for each kind of difference. */
function rulesFor(drawn: Drawn): readonly Rule[] {
  const { method, inputRequest, optional, required, content, enumValue, logLevel } = drawn;
  const requests = [`${inputRequest.type}Request`, `${inputRequest.type}Result`];
  const added = [
    ...optional,
    ...(required.isKnown ? [] : [required]),
    { type: "ClientCapabilities", member: inputRequest.capability },
    ...(method.item === "Note" ? [{ type: "ServerCapabilities", member: "notes" }] : []),
  ];
  const members = added.map(({ type, member }) => `${type}.${member}`);
  // No message of a model has a file.
  const sampledAt = drawn.isSampled ? [`SamplingMessageContentBlock:${content.type}`] : [];
  const renamed = [enumValue, { place: "LoggingLevel", ...logLevel }];
  return [
    { rule: "error", at: [...requests, ...sampledAt], reason: "Older peers do not know it." },
    { rule: "drop", at: members, reason: "Older peers do not read it." },
    { rule: "content-to-resource", at: [content.type], reason: "Older clients get a file." },
    ...renamed.map(({ place, from, to }) => {
      const reason = "The value has another name there.";
      return { rule: "as", value: from, at: [`${place}:${to}`], reason };
    }),
  ];
}

/** Returns the part of a name found in the printed difference, without the place before it. */
function spelled(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function droppedOf({ overlay }: PinReport): readonly string[] {
  return overlay.kind === "proposed" ? overlay.dropped : [];
}
