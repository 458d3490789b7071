import { createRandom, draw, isHit, pick, type Random } from "../kit/random.ts";
import {
  addMember,
  addSemicolon,
  addTag,
  addToUnion,
  append,
  changeConstant,
  readConstant,
  redate,
  removeMember,
  removeType,
  renameLiteral,
  requireMember,
} from "./edits.ts";

/** Revision before the fictional one. */
export const before = "2026-07-28";

/** The fictional revision. */
export const after = "2027-03-30";

/** A new member of an object, with a value of its type and one of another type. */
export interface NewMember {
  readonly type: string;
  readonly member: string;
  readonly value: unknown;
  readonly wrong: unknown;
}

/** What a fictional revision changes. Expectations follow from it. */
export interface Drawn {
  readonly seed: number;
  /** Text of its `schema.ts`. */
  readonly schema: string;
  /** New request of clients, `resources/search`, with its param repeated in a header. Each match has an item of this type and a score. */
  readonly method: {
    readonly method: string;
    readonly handler: string;
    readonly type: string;
    readonly param: string;
    /** A new type, if the method belongs to a feature with a new capability. */
    readonly item: "Resource" | "Prompt" | "Tool" | "Note";
    readonly header: string;
    /** The result is a list in pages, with a cache hint. */
    readonly isPaged: boolean;
  };
  /** New request of servers, inside of a result, with the capability declared for it by clients. */
  readonly inputRequest: {
    readonly method: string;
    readonly handler: string;
    readonly type: string;
    readonly capability: string;
    readonly reply: string;
  };
  readonly notification: {
    readonly method: string;
    readonly handler: string;
    readonly type: string;
    readonly param: string;
  };
  readonly optional: readonly NewMember[];
  /** A new or a formerly optional member. */
  readonly required: NewMember & { readonly isKnown: boolean };
  readonly removedType: string;
  readonly removedMember: { readonly type: string; readonly member: string };
  readonly enumValue: { readonly type: string; readonly place: string; readonly from: string; readonly to: string };
  readonly logLevel: { readonly from: string; readonly to: string };
  readonly content: { readonly type: string; readonly value: string; readonly mimeType: string };
  /** The new kind of content is permitted in messages of models as well. */
  readonly isSampled: boolean;
  readonly errorCode: { readonly name: string; readonly constant: string; readonly from: number; readonly to: number };
  /** New error of the new method, with its HTTP status. */
  readonly newError: {
    readonly name: string;
    readonly constant: string;
    readonly code: number;
    readonly status: number;
  };
  /** Generic type of the matches of the new method, and the form of its declaration. */
  readonly helper: string;
  readonly helperForm: "interface" | "alias" | "default";
  /** Tag of comments unknown to the reader. */
  readonly tag: string;
}

/** Draws a fictional revision. The same seed and text give the same one. */
export function drawRevision(seed: number, text: string): Drawn {
  // The first numbers of neighbouring seeds are close to each other.
  const random = createRandom(Math.imul(seed, 0x9e3779b1));
  const changes = drawChanges(seed, random, text);
  return { ...changes, schema: writeSchema(changes, random, text) };
}

type Changes = Omit<Drawn, "schema">;

function drawChanges(seed: number, random: Random, text: string): Changes {
  const enumValue = pick(enumValues, random);
  return {
    seed,
    method: drawMethod(random),
    inputRequest: pick(inputRequests, random),
    notification: drawNotification(random),
    optional: drawOptional(seed, random),
    required: drawRequired(random),
    removedType: pick(
      ["LegacyTitledEnumSchema", "ModelHint", "ToolChoice"].filter((name) => name !== enumValue.type),
      random,
    ),
    enumValue,
    logLevel: pick(logLevels, random),
    content: pick(contents, random),
    isSampled: isHit(0.5, random),
    removedMember: pick(removedMembers, random),
    errorCode: drawErrorCode(random, text),
    newError: { ...pick(newErrors, random), status: pick([402, 409, 429], random) },
    helper: pick(["Ranked", "Scored", "Match"], random),
    helperForm: pick(["interface", "alias", "default"], random),
    tag: pick(["since", "stability", "experimental"], random),
  };
}

function drawMethod(random: Random): Drawn["method"] {
  const item = pick(["Resource", "Prompt", "Tool", "Note"] as const, random);
  const verb = pick(["search", "find", "rank"], random);
  const param = pick(["query", "phrase", "pattern"], random);
  const feature = `${item.toLowerCase()}s`;
  return {
    method: `${feature}/${verb}`,
    handler: `${verb}${item}s`,
    type: `${capitalize(verb)}${item}s`,
    param,
    item,
    header: `Mcp-${capitalize(param)}`,
    isPaged: isHit(0.5, random),
  };
}

function drawRequired(random: Random): Drawn["required"] {
  const type = pick(["Prompt", "PromptArgument", "ResourceTemplate"], random);
  if (isHit(0.5, random)) return { type, ...drawValue("weight", random), isKnown: false };
  return { type, member: "description", value: "text", wrong: 1, isKnown: true };
}

const newErrors = [
  { name: "quotaExceeded", constant: "QUOTA_EXCEEDED", code: -32090 },
  { name: "indexNotReady", constant: "INDEX_NOT_READY", code: -32091 },
] as const;

const inputRequests: readonly Drawn["inputRequest"][] = [
  { method: "places/get", handler: "getPlace", type: "GetPlace", capability: "places", reply: "latitude" },
  { method: "clock/read", handler: "readClock", type: "ReadClock", capability: "clock", reply: "offset" },
  { method: "battery/level", handler: "batteryLevel", type: "BatteryLevel", capability: "battery", reply: "percent" },
];

function drawNotification(random: Random): Drawn["notification"] {
  const item = pick(["Resource", "Prompt", "Tool"], random);
  const event = pick(["moved", "renamed", "retired"], random);
  return {
    method: `notifications/${item.toLowerCase()}s/${event}`,
    handler: `${item.toLowerCase()}${capitalize(event)}`,
    type: `${item}${capitalize(event)}`,
    param: pick(["from", "name", "key"], random),
  };
}

/** Types given to the server in a definition as they are, and types returned by its handlers. */
const describedTypes = [
  ...["Tool", "Resource", "Prompt", "PromptArgument", "ResourceTemplate", "Implementation"],
  ...["TextContent", "CallToolResult", "GetPromptResult"],
];

function drawOptional(seed: number, random: Random): readonly NewMember[] {
  const count = 1 + Math.floor(random() * 3);
  const names = ["cost", "owner", "region"];
  return draw(describedTypes, { count, seed }).map((type, at) => ({ type, ...drawValue(names[at] ?? "", random) }));
}

function drawValue(name: string, random: Random): Omit<NewMember, "type"> {
  const [value, wrong] = pick<readonly [unknown, unknown]>(
    [
      ["text", 1],
      [7, "7"],
      [true, 0],
      [["a", "b"], "a"],
      [
        { amount: 1, unit: "ms" },
        { amount: "1", unit: "ms" },
      ],
    ],
    random,
  );
  return { member: name, value, wrong };
}

/** Values written by handlers, and never compared in the runtime. */
const enumValues: readonly Drawn["enumValue"][] = [
  { type: "Icon", place: "Icon.theme", from: "dark", to: "night" },
  { type: "Icon", place: "Icon.theme", from: "light", to: "day" },
  {
    type: "CreateMessageRequestParams",
    place: "CreateMessageRequestParams.includeContext",
    from: "thisServer",
    to: "self",
  },
  {
    type: "CreateMessageRequestParams",
    place: "CreateMessageRequestParams.includeContext",
    from: "allServers",
    to: "everything",
  },
];

const logLevels: readonly Drawn["logLevel"][] = [
  { from: "debug", to: "trace" },
  { from: "error", to: "failure" },
  { from: "alert", to: "alarm" },
  { from: "emergency", to: "disaster" },
  { from: "notice", to: "remark" },
  { from: "critical", to: "severe" },
  { from: "info", to: "information" },
  { from: "warning", to: "caution" },
];

/** Members not used by definitions and handlers of the drill. */
const removedMembers: readonly Drawn["removedMember"][] = [
  { type: "Resource", member: "size" },
  { type: "Annotations", member: "lastModified" },
  { type: "Implementation", member: "websiteUrl" },
  { type: "ModelPreferences", member: "costPriority" },
  { type: "Icon", member: "sizes" },
];

const contents: readonly Drawn["content"][] = [
  { type: "VideoContent", value: "video", mimeType: "video/webm" },
  { type: "ModelContent", value: "model", mimeType: "model/gltf+json" },
  { type: "ScreenContent", value: "screen", mimeType: "image/png" },
];

function drawErrorCode(random: Random, text: string): Drawn["errorCode"] {
  const [name, constant] = pick(
    [
      ["headerMismatch", "HEADER_MISMATCH"],
      ["missingRequiredClientCapability", "MISSING_REQUIRED_CLIENT_CAPABILITY"],
      ["unsupportedProtocolVersion", "UNSUPPORTED_PROTOCOL_VERSION"],
    ] as const,
    random,
  );
  return { name, constant, from: readConstant(text, constant), to: pick([-32050, -32061, -32077], random) };
}

/** Types whose comments take several lines. */
const commented = ["MetaObject", "ProgressToken", "Cursor", "Result", "Implementation", "Tool", "Resource"];

function writeSchema(changes: Changes, random: Random, text: string): string {
  const { method, inputRequest, notification, optional, required, enumValue, logLevel, content, errorCode } = changes;
  const edits: readonly ((schema: string) => string)[] = [
    (schema) => redate(schema, before, after),
    (schema) => addToUnion(schema, "ClientRequest", `${method.type}Request`),
    (schema) => addToUnion(schema, "ServerResult", `${method.type}Result`),
    (schema) => append(schema, methodText(changes)),
    (schema) => append(schema, helperText(changes)),
    (schema) => (method.item === "Note" ? addNotes(schema) : schema),
    (schema) => append(schema, `export const ${changes.newError.constant} = ${changes.newError.code};`),
    (schema) => addToUnion(schema, "InputRequest", `${inputRequest.type}Request`),
    (schema) => addToUnion(schema, "InputResponse", `${inputRequest.type}Result`),
    (schema) => addMember(schema, "ClientCapabilities", `${inputRequest.capability}?: JSONObject`),
    (schema) => append(schema, inputRequestText(inputRequest)),
    (schema) => addToUnion(schema, "ServerNotification", `${notification.type}Notification`),
    (schema) => append(schema, notificationText(notification)),
    ...optional.map((one) => (schema: string) => addMember(schema, one.type, `${one.member}?: ${typeOf(one.value)}`)),
    (schema) =>
      required.isKnown
        ? requireMember(schema, required.type, required.member)
        : addMember(schema, required.type, `${required.member}: ${typeOf(required.value)}`),
    (schema) => removeType(schema, changes.removedType),
    (schema) => removeMember(schema, changes.removedMember.type, changes.removedMember.member),
    (schema) => (changes.isSampled ? addToUnion(schema, "SamplingMessageContentBlock", content.type) : schema),
    (schema) => renameLiteral(schema, enumValue.type, enumValue),
    (schema) => renameLiteral(schema, "LoggingLevel", logLevel),
    (schema) => addToUnion(schema, "ContentBlock", content.type),
    (schema) => append(schema, contentText(content)),
    (schema) => changeConstant(schema, errorCode.constant, errorCode.to),
    (schema) => addSemicolon(schema, pick(commented, random)),
    (schema) => addTag(schema, pick(commented, random), `@${changes.tag} ${after}`),
  ];
  return edits.reduce((schema, edit) => edit(schema), text);
}

function methodText({ method: { method, type, param, item, isPaged }, helper }: Changes): string {
  const [params, result] = isPaged
    ? ["PaginatedRequestParams", "PaginatedResult, CacheableResult"]
    : ["RequestParams", "Result"];
  return `
/** Params of \`${method}\`. */
export interface ${type}RequestParams extends ${params} {
  ${param}: string;
  limit?: number;
}

/** Finds items. */
export interface ${type}Request extends JSONRPCRequest {
  method: "${method}";
  params: ${type}RequestParams;
}

/** The items that were found. */
export interface ${type}Result extends ${result} {
  matches: ${helper}<${item}>[];
}`;
}

function helperText({ helper, helperForm }: Changes): string {
  const members = "{\n  item: T;\n  score: S;\n}";
  const plain = members.replace("S;", "number;");
  switch (helperForm) {
    case "interface":
      return `/** An item with its score, the best first. */\nexport interface ${helper}<T> ${plain}`;
    case "alias":
      return `/** An item with its score, the best first. */\nexport type ${helper}<T> = ${plain};`;
    case "default":
      return `/** An item with its score, the best first. */\nexport interface ${helper}<T, S extends number = number> ${members}`;
    default:
      return helperForm satisfies never;
  }
}

function addNotes(schema: string): string {
  const type = "/** A note. */\nexport interface Note extends BaseMetadata {\n  text?: string;\n}";
  return addMember(append(schema, type), "ServerCapabilities", "notes?: { listChanged?: boolean }");
}

function inputRequestText({ method, type, reply }: Drawn["inputRequest"]): string {
  return `
/** Requests a value of the client's device. */
export interface ${type}Request {
  method: "${method}";
  params: { accuracy: "coarse" | "fine" };
}

/** The value. */
export interface ${type}Result {
  ${reply}: number;
}`;
}

function notificationText({ method, type, param }: Drawn["notification"]): string {
  return `
/** Params of \`${method}\`. */
export interface ${type}NotificationParams extends NotificationParams {
  ${param}: string;
}

/** Reports a change of one item. */
export interface ${type}Notification extends JSONRPCNotification {
  method: "${method}";
  params: ${type}NotificationParams;
}`;
}

function contentText({ type, value }: Drawn["content"]): string {
  return `
/** Another kind of content. */
export interface ${type} {
  type: "${value}";
  data: string;
  mimeType: string;
  annotations?: Annotations;
  _meta?: MetaObject;
}`;
}

/** Returns the type of a value, as a schema has it. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return `${typeOf(value[0])}[]`;
  if (typeof value !== "object" || value === null) return typeof value;
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${name}: ${typeOf(inner)}`)
    .join("; ")} }`;
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
