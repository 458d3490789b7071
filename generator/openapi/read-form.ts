import { isRecord } from "../internal/json-text.ts";
import { LeftOut, type OperationBody } from "./operation.ts";
import { declaresStyle, readMemberStyles } from "./read-style.ts";
import { follow } from "./follow.ts";

/** A body of several parts, of which some are files. */
export interface Form extends Pick<OperationBody, "files" | "types" | "styles"> {
  /** Schema of the argument. Files are text in base64 there. */
  readonly schema: Record<string, unknown>;
}

/**
 * Reads the media type object of a `multipart/form-data` body.
 *
 * @throws {LeftOut} when no schema names the parts of the body.
 */
export function readForm(media: Record<string, unknown>, document: unknown): Form {
  const schema = follow(media.schema ?? {}, document);
  if (!isRecord(schema) || !isObject(schema, document))
    throw new LeftOut("its body has no object schema for its parts");
  const encoding = isRecord(media.encoding) ? media.encoding : {};
  const reading: FormReading = { document, encoding, files: new Map(), types: new Map(), seen: new Set() };
  const whole = { ...readParts(schema, reading), type: "object" };
  const { files, types } = reading;
  // Neither files nor parts with a media type have a style.
  const isStyled = (name: string): boolean => appliesStyles(document) && !files.has(name) && !types.has(name);
  const others = Object.entries(encoding).filter(([name]) => isStyled(name));
  const styles = readMemberStyles({ schema, encoding: Object.fromEntries(others) }, document);
  return { schema: whole, files: Object.fromEntries(files), types: Object.fromEntries(types), ...styles };
}

/** True for the schema of an object, even if only a schema it extends says so. */
function isObject(value: unknown, document: unknown, seen = new Set<unknown>()): boolean {
  const schema = follow(value, document);
  if (!isRecord(schema) || seen.has(schema)) return false;
  seen.add(schema);
  return (
    schema.type === "object" ||
    isRecord(schema.properties) ||
    basesOf(schema).some((one) => isObject(one, document, seen))
  );
}

/** Returns the schemas extended by a schema. */
function basesOf({ allOf }: Record<string, unknown>): readonly unknown[] {
  return Array.isArray(allOf) ? allOf : [];
}

/** State of reading a form. */
interface FormReading {
  readonly document: unknown;
  readonly encoding: Record<string, unknown>;
  readonly files: Map<string, string>;
  readonly types: Map<string, string>;
  /** Schemas already read. Each is read once; otherwise schemas that extend each other in circles would never end. */
  readonly seen: Set<unknown>;
}

/** Reads the parts declared in a schema and in the schemas it extends. Returns the schema with files as text in base64. */
function readParts(schema: Record<string, unknown>, reading: FormReading): Record<string, unknown> {
  const { document, seen } = reading;
  seen.add(schema);
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const members = Object.entries(properties).map(([name, own]) => [name, readPart(name, own, reading)] as const);
  const bases = basesOf(schema).map((value) => {
    const base = follow(value, document);
    return isRecord(base) && !seen.has(base) ? readParts(base, reading) : value;
  });
  return { ...schema, properties: Object.fromEntries(members), ...(bases.length > 0 && { allOf: bases }) };
}

/** Reads a part. Returns its schema. */
function readPart(name: string, own: unknown, { document, encoding, files, types }: FormReading): unknown {
  const said = Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  const hasStyle = appliesStyles(document) && isRecord(said) && declaresStyle(said);
  const type = readFileType(follow(own, document), hasStyle ? undefined : said);
  const file = readFile(own, document, type);
  // `text/plain` is the default of a part.
  if (!file && type !== undefined && type !== "text/plain") types.set(name, type);
  if (!file) return own;
  files.set(name, file.type);
  return file.schema;
}

/** True if styles apply to parts. OpenAPI 3.0 ignores them, unless the form is URL-encoded. */
function appliesStyles(document: unknown): boolean {
  return !/^3(\.0|$)/.test(String(isRecord(document) && document.openapi));
}

interface FilePart {
  readonly type: string;
  readonly schema: Record<string, unknown>;
}

/** Reads a file or a list of files, either of which may be null. Returns `undefined` when the part is neither. */
function readFile(value: unknown, document: unknown, type: string | undefined): FilePart | undefined {
  const schema = follow(value, document);
  if (!isRecord(schema)) return undefined;
  const inner = withoutNull(schema, document);
  if (inner === undefined) return readFiles(schema, document, type);
  const file = readFiles(inner, document, type ?? readFileType(inner, undefined));
  const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema;
  return file && { type: file.type, schema: { ...rest, anyOf: [file.schema, { type: "null" }] } };
}

/** Returns the only alternative of a schema besides null. */
function withoutNull(
  { anyOf, oneOf }: Record<string, unknown>,
  document: unknown,
): Record<string, unknown> | undefined {
  const list: unknown = anyOf ?? oneOf;
  if (!Array.isArray(list) || list.length !== 2) return undefined;
  const both = list.map((one) => follow(one, document)).filter(isRecord);
  const others = both.filter(({ type }) => type !== "null");
  return both.length === 2 && others.length === 1 ? others[0] : undefined;
}

function readFiles(schema: Record<string, unknown>, document: unknown, type: string | undefined): FilePart | undefined {
  if (isFile(schema, type)) return { type: type ?? plainFile, schema: toText(schema) };
  const item = schema.type === "array" ? follow(schema.items, document) : undefined;
  if (!isRecord(item) || !isFile(item, type)) return undefined;
  return { type: type ?? readFileType(item, undefined) ?? plainFile, schema: { ...schema, items: toText(item) } };
}

const plainFile = "application/octet-stream";

/**
 * True if a part is a file. OpenAPI 3.0 declares it by a format, 3.1 by a media type without an encoding. Without either, the part's own media type
 * decides.
 */
function isFile({ type, format, contentMediaType, contentEncoding }: Record<string, unknown>, own: unknown): boolean {
  if (type === undefined && format === undefined) return own !== undefined && !isTextType(String(own));
  const isText = type === "string" || (Array.isArray(type) && type.includes("string"));
  return isText && (format === "binary" || (typeof contentMediaType === "string" && contentEncoding === undefined));
}

function isTextType(type: string): boolean {
  return /^text\/|[/+]json$|x-www-form-urlencoded$/.test(type);
}

/** Returns the media type of a part, or the first one if there are several. */
function readFileType(schema: unknown, encoding: unknown): string | undefined {
  const own = isRecord(encoding) ? encoding.contentType : undefined;
  const said = typeof own === "string" ? own : isRecord(schema) ? schema.contentMediaType : undefined;
  const [first = ""] = typeof said === "string" ? said.split(",") : [];
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(first.trim()) ? first.trim() : undefined;
}

/** Returns the schema of an argument for a whole file. */
export function readWholeFile({ schema }: Record<string, unknown>, document: unknown): Record<string, unknown> {
  const own = follow(schema ?? {}, document);
  return toText(isRecord(own) ? own : {});
}

/** Converts the schema of a file. Arguments are JSON, so bytes become text in base64. Length limits are dropped, because they apply to the bytes. */
function toText({ title, description, nullable, readOnly }: Record<string, unknown>): Record<string, unknown> {
  const text = typeof description === "string" && description !== "" ? `${description} (base64)` : "A file, in base64";
  return {
    type: "string",
    contentEncoding: "base64",
    description: text,
    ...(title !== undefined && { title }),
    ...(nullable === true && { nullable }),
    ...(readOnly === true && { readOnly }),
  };
}
