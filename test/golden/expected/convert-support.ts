/** Functions that generated conversions share, including the conversions that overlays call by name. Copied verbatim next to them. */
import { isObject, type Convert, type Loss, type OnLoss } from "./support.ts";

/** Type or place of a lost value, and its alternative there. */
export type LossPlace = Pick<Loss, "type" | "member">;

/** An object that is only read. */
export type Members = Readonly<Record<string, unknown>>;

/** Keys of an object whose further keys a revision does not define. */
export interface KnownKeys {
  readonly type: string;
  readonly known: ReadonlySet<string>;
  /** Unknown keys that are removed without a report: nothing is lost, or a conversion has reported it. */
  readonly silent?: ReadonlySet<string>;
}

/** Keys that an object with any keys must not have, because newer revisions define them. */
export interface GoneKeys {
  readonly type: string;
  readonly gone: readonly string[];
  readonly silent?: ReadonlySet<string>;
}

// Objects, arrays and maps.

/** Returns the object with its known keys only. */
export function keepKnown(v: Members, keys: KnownKeys, loss?: OnLoss): Members {
  for (const key in v) {
    if (!keys.known.has(key)) return copy(v, (name) => keys.known.has(name), keys, loss);
  }
  return v;
}

/** Returns the object without the removed keys. */
export function dropGone(v: Members, keys: GoneKeys, loss?: OnLoss): Members {
  for (const key of keys.gone) {
    if (v[key] !== undefined) return copy(v, (name) => !keys.gone.includes(name), keys, loss);
  }
  return v;
}

/** Returns the object with another value for a key, or without the key if the value is undefined. */
export function withMember(v: Members, key: string, value: unknown): Members {
  if (v[key] === value) return v;
  return value === undefined ? without(v, key) : { ...v, [key]: value };
}

/** Returns the object with a value for a missing key. */
export function withDefault(v: Members, key: string, value: unknown): Members {
  return v[key] === undefined ? { ...v, [key]: value } : v;
}

/** Converts every item of an array. */
export function mapItems(v: unknown, convert: Convert, loss?: OnLoss): unknown {
  if (!Array.isArray(v)) return v;
  const items: readonly unknown[] = v;
  let changed: unknown[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = convert(items[i], loss);
    if (item === items[i]) continue;
    changed ??= [...items];
    changed[i] = item;
  }
  return changed ?? items;
}

/** Converts every value of a map. */
export function mapValues(v: Members, convert: Convert, loss?: OnLoss): Members {
  let isChanged = false;
  const entries = Object.entries(v).map(([key, value]): [string, unknown] => {
    const converted = convert(value, loss);
    isChanged ||= converted !== value;
    return [key, converted];
  });
  return isChanged ? Object.fromEntries(entries) : v;
}

// Conversions by name.

/** Converts content with bytes to an embedded resource with the same bytes. */
export function contentToResource(v: Members, place: LossPlace, loss?: OnLoss): Members {
  loss?.({ ...place, rule: "content-to-resource" });
  return resourceBlock(v);
}

/** Converts content to a text placeholder. */
export function contentToText(v: Members, place: LossPlace, loss?: OnLoss): Members {
  loss?.({ ...place, rule: "content-to-text" });
  return placeholder(v);
}

/** Converts audio to an embedded resource with the same bytes. */
export function audioToResource(v: Members, type: string, loss?: OnLoss): Members {
  loss?.({ type, member: "AudioContent", rule: "audio-to-resource" });
  return resourceBlock(v);
}

/** Converts audio to a text placeholder. */
export function audioToText(v: Members, type: string, loss?: OnLoss): Members {
  loss?.({ type, member: "AudioContent", rule: "audio-to-text" });
  return placeholder(v);
}

/** Adds a random id to an elicitation without one. */
export function elicitationId(v: Members): Members {
  return v.elicitationId === undefined ? { ...v, elicitationId: crypto.randomUUID() } : v;
}

/** Converts a resource link to a text with its name, URI and description. */
export function linkToText(v: Members, type: string, loss?: OnLoss): Members {
  loss?.({ type, member: "ResourceLink", rule: "link-to-text" });
  const link = `${String(v.title ?? v.name)}: ${String(v.uri)}`;
  return textBlock(v.description === undefined ? link : `${link}\n${String(v.description)}`, v.annotations);
}

/** True if a schema is an object schema; other schemas are removed. */
export function isObjectSchema(v: Members, type: string, loss?: OnLoss): boolean {
  if (v.type === "object") return true;
  loss?.({ type, member: "type", rule: "object-schema" });
  return false;
}

/** Converts boolean schemas to equivalent objects. */
export function schemaObjects(v: unknown): Members | undefined {
  return isObject(v) ? mapValues(v, schemaObject) : undefined;
}

/** Converts structured content that is not an object to a text block with its JSON. */
export function structuredObject(v: Members, type: string, loss?: OnLoss): Members {
  const { structuredContent } = v;
  if (structuredContent === undefined || isObject(structuredContent)) return v;
  loss?.({ type, member: "structuredContent", rule: "structured-object" });
  return without(withText(v, structuredContent), "structuredContent");
}

/** Adds a text block with the JSON of structured content, unless there is one. */
export function structuredToText(v: Members, type: string, loss?: OnLoss): Members {
  const { structuredContent } = v;
  if (structuredContent === undefined) return v;
  loss?.({ type, member: "structuredContent", rule: "structured-to-text" });
  return withText(v, structuredContent);
}

/** Copies the title to the annotations, unless they have one. */
export function titleToAnnotations(v: Members, type: string, loss?: OnLoss): Members {
  const { title, annotations } = v;
  if (title === undefined) return v;
  const hints = isObject(annotations) ? annotations : {};
  const hasTitle = hints.title !== undefined;
  loss?.({ type, member: "title", rule: hasTitle ? "drop" : "title-to-annotations" });
  return hasTitle ? v : { ...v, annotations: { ...hints, title } };
}

/** Converts choices with titles to values and, in the same order, their names. */
export function titlesToNames(v: Members): Members {
  const { oneOf, ...others } = v;
  const choices = Array.isArray(oneOf) ? oneOf.filter(isObject) : [];
  return { ...others, enum: choices.map((choice) => choice.const), enumNames: choices.map(({ title }) => title) };
}

// Helpers.

function copy(
  v: Members,
  isKept: (key: string) => boolean,
  { type, silent }: Pick<KnownKeys, "type" | "silent">,
  loss: OnLoss | undefined,
): Members {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(v)) {
    if (isKept(key)) setOwn(kept, key, v[key]);
    else if (loss && v[key] !== undefined && !silent?.has(key)) loss({ type, member: key, rule: "drop" });
  }
  return kept;
}

/** An assignment to `__proto__` would change the prototype of the copy. */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function without(v: Members, key: string): Members {
  const { [key]: _gone, ...others } = v;
  return others;
}

function textBlock(text: string, annotations: unknown): Members {
  return { type: "text", text, ...(annotations !== undefined && { annotations }) };
}

function resourceBlock({ type, data, mimeType, annotations }: Members): Members {
  const resource = { uri: attachmentUri(String(type), String(data)), mimeType, blob: data };
  return { type: "resource", resource, ...(annotations !== undefined && { annotations }) };
}

function placeholder({ type, mimeType, annotations }: Members): Members {
  const kind = mimeType === undefined ? String(type) : `${String(type)}, ${String(mimeType)}`;
  return textBlock(`[${kind}]`, annotations);
}

/** Returns a URI derived from the type and the bytes: equal content has an equal URI. */
function attachmentUri(type: string, data: string): string {
  const name = encodeURIComponent(type);
  return `attachment:${name}-${data.length}-${data.slice(-16).replaceAll(/[^0-9A-Za-z]/g, "")}`;
}

function withText(v: Members, value: unknown): Members {
  const json = JSON.stringify(value);
  const content: readonly unknown[] = Array.isArray(v.content) ? v.content : [];
  if (content.some((block) => holdsJson(block, json))) return v;
  return { ...v, content: [...content, textBlock(json, undefined)] };
}

/** Compares JSON texts regardless of indentation. */
function holdsJson(block: unknown, json: string): boolean {
  if (!isObject(block) || block.type !== "text" || typeof block.text !== "string") return false;
  if (block.text === json) return true;
  if (block.text.length < json.length || block.text.trimStart()[0] !== json[0]) return false;
  try {
    return JSON.stringify(JSON.parse(block.text)) === json;
  } catch {
    return false;
  }
}

function schemaObject(v: unknown): Members {
  if (isObject(v)) return v;
  return v === false ? { not: {} } : {};
}
