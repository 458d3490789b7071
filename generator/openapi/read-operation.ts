import { uniqueName } from "../internal/unique-name.ts";
import { isRecord } from "../internal/json-text.ts";
import { SchemaRejection } from "../typed-client/tool-schema/safe-schema.ts";
import { safeText } from "../internal/text.ts";
import { bodyArgument, type Operation, type OperationBody, type Parameter, LeftOut } from "./operation.ts";
import { readForm, readWholeFile } from "./read-form.ts";
import { keepsReserved, readEncoding, readStyle } from "./read-style.ts";
import { follow } from "./follow.ts";
import { acceptTextOfParameter } from "./large-integers.ts";
import { readContent, readOutput, readResponses, type Content } from "./read-responses.ts";
import { extractSchema } from "./references.ts";

/** Position of an operation in its document. */
export interface OperationPlace {
  readonly path: string;
  readonly method: string;
  /** Path item, with the members shared by all operations of the path. */
  readonly item: Record<string, unknown>;
  readonly operation: Record<string, unknown>;
  readonly document: Record<string, unknown>;
}

/** An operation before its credentials are determined. */
export interface ReadOperation extends Omit<Operation, "access" | "unsupported"> {
  /** Security requirements of the operation. Default: the requirements of its document. */
  readonly security: unknown;
}

/**
 * Reads an operation.
 *
 * @throws {LeftOut} when it cannot become a tool.
 * @throws {SchemaRejection} when the document is hostile or broken.
 */
export function readOperation(place: OperationPlace): ReadOperation {
  const { path, method, operation, document } = place;
  if (method === "trace") throw new LeftOut("fetch does not send TRACE requests");
  const given = [...readParameters(place), ...undeclared(place)];
  const taken = new Set([bodyArgument, ...inherited]);
  const named = given.map((parameter) => {
    const argument = uniqueName(toArgument(parameter.name), (name) => taken.has(name));
    taken.add(argument);
    return { ...parameter, argument };
  });
  const whole = readBody(operation.requestBody, document);
  const omitsBody = whole !== undefined && (method === "get" || method === "head");
  if (omitsBody && whole.required) throw new LeftOut(`fetch sends no body with ${method.toUpperCase()} requests`);
  const body = omitsBody ? undefined : whole;
  const members = [
    ...named.map((parameter): [string, unknown] => [
      parameter.argument,
      toMember(toArgumentSchema(parameter, document)),
    ]),
    ...(body ? [[bodyArgument, toMember(body.schema)] as const] : []),
  ];
  const required = [
    ...named.filter((one) => one.required).map(({ argument }) => argument),
    ...(body?.required ? [bodyArgument] : []),
  ];
  const schema = { type: "object", properties: Object.fromEntries(members), required, additionalProperties: false };
  const input = extractSchema(schema, document, "request");
  const output = readOutput(operation.responses, document);
  return {
    name: toToolName(isName(operation.operationId) ? String(operation.operationId) : `${method} ${path}`),
    method: method.toUpperCase(),
    path,
    description: describe(operation, `${method.toUpperCase()} ${path}`),
    parameters: named.map(({ required: _required, schema: _schema, ...parameter }) => parameter),
    ...(body && { body: toOperationBody(body) }),
    input: input.schema,
    isOpen: input.isOpen || output?.isOpen === true,
    security: operation.security ?? document.security,
    returnsFile: readResponses(operation.responses, document)
      .flat()
      .some((one) => isFileResponse(one, document)),
    ...(output && { output: output.schema }),
    ...(output?.others && { others: output.others }),
    ...(omitsBody && { omitsBody }),
  };
}

/** Returns the schema of a parameter as an argument. If the argument has another name, its description says what it is sent as. */
function toArgumentSchema({ name, argument, place, schema, style }: NamedParameter, document: unknown): unknown {
  const own = style === "json" ? schema : acceptTextOfParameter(schema, document);
  if (argument === name || !isRecord(own)) return own;
  const kind = place === "query" || place === "path" ? `${place} parameter` : place;
  const note = `Sent as ${kind} \`${name.slice(0, 200)}\`.`;
  // Other members beside a reference have no effect in some dialects.
  if (own.$ref !== undefined) return { allOf: [own], description: note };
  return { ...own, description: typeof own.description === "string" ? `${own.description}\n\n${note}` : note };
}

/** Returns the schema of an argument. As a member of the arguments it must not be read-only, whatever it is elsewhere in the document. */
function toMember(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const { readOnly: _readOnly, ...rest } = schema;
  return rest;
}

/** Names that every object has. A missing argument must not be found under one of them. */
const inherited = Object.getOwnPropertyNames(Object.prototype);

function toOperationBody({ required: _required, schema: _schema, ...body }: Body): OperationBody {
  return body;
}

interface Given extends Omit<Parameter, "argument"> {
  readonly required: boolean;
  readonly schema: unknown;
}

interface NamedParameter extends Given {
  readonly argument: string;
}

/** Reads the parameters. A parameter of the operation replaces the one of its path. */
function readParameters({ item, operation, document }: OperationPlace): Given[] {
  const all = [item.parameters, operation.parameters].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  const byPlace = new Map<string, readonly [name: string, parameter: Record<string, unknown>]>();
  for (const value of all) {
    const parameter = follow(value, document);
    if (!isRecord(parameter) || typeof parameter.name !== "string" || typeof parameter.in !== "string")
      throw new SchemaRejection('a parameter has no "name" or no "in"');
    byPlace.set(`${parameter.in} ${parameter.name}`, [parameter.name, parameter]);
  }
  return [...byPlace.values()].flatMap(([name, parameter]) => readParameter(name, parameter));
}

/** Headers that callers cannot set, because they determine how a message is read. */
const ownHeaders: readonly string[] = ["accept", "authorization", "content-length", "content-type", "cookie", "host"];

function readParameter(name: string, parameter: Record<string, unknown>): Given[] {
  const { in: place, required, schema, content, description } = parameter;
  if (place !== "path" && place !== "query" && place !== "header" && place !== "cookie") return [];
  if (place === "path" && (parameter.style === "label" || parameter.style === "matrix"))
    throw new LeftOut(`its parameter ${safeText(name, 100)} uses the style ${parameter.style}`);
  if (place === "header" && ownHeaders.includes(name.toLowerCase())) return [];
  if ((place === "header" || place === "cookie") && !/^[\w!#$%&'*+.^`|~-]{1,1000}$/.test(name))
    throw new SchemaRejection(`a ${place} has no valid name`);
  const [media] = isRecord(content) ? Object.values(content) : [];
  const own = schema ?? (isRecord(media) ? media.schema : undefined) ?? { type: "string" };
  return [
    {
      name,
      place,
      style: readStyle(parameter),
      ...(place === "query" && keepsReserved(parameter) && { keepsReserved: true }),
      required: place === "path" || required === true,
      schema:
        typeof description === "string" && isRecord(own) && own.$ref === undefined ? { description, ...own } : own,
    },
  ];
}

/** Returns the parameters that occur only in the path. */
function undeclared(place: OperationPlace): Given[] {
  const declared = new Set(readParameters(place).flatMap(({ name, place: at }) => (at === "path" ? [name] : [])));
  const names = [...place.path.matchAll(/\{([^{}]{1,1000})\}/g)].map(([, name = ""]) => name);
  return [...new Set(names)]
    .filter((name) => !declared.has(name))
    .map((name): Given => ({ name, place: "path", style: "comma", required: true, schema: { type: "string" } }));
}

const multipart = /^multipart\/form-data\b/;

interface Body extends OperationBody {
  readonly required: boolean;
  readonly schema: unknown;
}

/** Media types of binary data. */
const fileType = /^(application\/(octet-stream|pdf|zip|gzip)|(image|audio|video|font)\/[\w.-]{1,127})$/;

/** True if a response is a file, by its media type or by the format of its schema. */
function isFileResponse([type, media]: Content, document: unknown): boolean {
  if (fileType.test(type) || /^(image|audio|video|font)\/\*$/.test(type)) return true;
  const schema = isRecord(media) ? follow(media.schema, document) : undefined;
  return isRecord(schema) && schema.type === "string" && schema.format === "binary";
}

/** Media types of bodies, the simplest to send first. */
const bodyTypes = [
  /^application\/json(;|$)/,
  /^application\/(?!json-patch\+)([\w.-]{1,127}\+)?json\b/,
  /^application\/json-patch\+json\b/,
  /^application\/x-www-form-urlencoded\b/,
  multipart,
  /^text\/plain\b/,
  fileType,
  /^(\*|application)\/\*$/,
];

function readBody(value: unknown, document: unknown): Body | undefined {
  const body = follow(value, document);
  if (!isRecord(body) || !isRecord(body.content)) return undefined;
  const offered = readContent(body.content);
  const [found] = bodyTypes.flatMap((pattern) => offered.filter(([type]) => pattern.test(type)));
  if (!found && body.required !== true && offered.length === 0) return undefined;
  if (!found) throw new LeftOut(`its body is ${offered.map(([type]) => type).join(" or ") || "of no type"}`);
  const [own, media] = found;
  const type = own.endsWith("/*") ? chooseType(Object(media).schema, document) : own;
  const required = body.required === true;
  const parts = isRecord(media) ? media : {};
  if (multipart.test(type))
    return { type: "multipart/form-data", isFile: false, required, ...readForm(parts, document) };
  const plain = { type, required, files: {}, types: {} };
  if (fileType.test(type)) return { ...plain, isFile: true, schema: readWholeFile(parts, document) };
  const encoding = type.includes("form-urlencoded") && readEncoding(parts, document);
  return { ...plain, isFile: false, schema: parts.schema ?? {}, ...encoding };
}

/** Chooses a media type if the document accepts several. */
function chooseType(value: unknown, document: unknown): string {
  const schema = follow(value, document);
  if (!isRecord(schema) || schema.type !== "string") return "application/json";
  return schema.format === "binary" ? "application/octet-stream" : "text/plain";
}

/** Returns a tool name accepted by every host. */
function toToolName(wanted: string): string {
  return toPlainName(wanted) || "operation";
}

/** True if a value can be a name. YAML reads digits as a number. */
function isName(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** Returns an argument name accepted by every host. */
function toArgument(name: string): string {
  return toPlainName(name) || "value";
}

/** Returns letters, digits and one separator. Hyphens stay if nothing else separates words. */
function toPlainName(text: string): string {
  const plain = text
    .slice(0, 1_000)
    .replaceAll(/[^\w-]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
  const name = plain.includes("_") ? plain.replaceAll("-", "_") : plain;
  return name.slice(0, 60);
}

function describe({ summary, description, deprecated }: Record<string, unknown>, place: string): string {
  const parts = [summary, description].filter((part) => typeof part === "string" && part.trim() !== "");
  const text = [...new Set(parts)].join("\n\n");
  const whole = text === "" ? place : text;
  return safeText(deprecated === true ? `Deprecated. ${whole}` : whole, 1_000).trim();
}
