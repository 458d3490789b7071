import { isRecord } from "../internal/json-text.ts";
import type { MemberStyle, OperationBody, Parameter } from "./operation.ts";
import { follow } from "./follow.ts";

/** Reads the serialization of a parameter. */
export function readStyle(parameter: Record<string, unknown>): Parameter["style"] {
  const { in: place, content, explode } = parameter;
  if (isRecord(content)) return readContentStyle(place, content);
  if (place !== "query") return explode === true && place !== "cookie" ? "named" : "comma";
  return readQueryStyle(parameter);
}

/** Reads the serialization of a parameter with a media type. A value of a type other than JSON is sent as it is. */
function readContentStyle(place: unknown, content: Record<string, unknown>): Parameter["style"] {
  const [type = ""] = Object.keys(content);
  if (isJsonType(type.toLowerCase())) return "json";
  return place === "query" ? "repeat" : "comma";
}

function readQueryStyle({ style = "form", explode }: Record<string, unknown>): QueryStyle {
  if (style === "deepObject") return "deep";
  if (explode === undefined ? style === "form" : explode === true) return "repeat";
  return style === "pipeDelimited" ? "pipe" : style === "spaceDelimited" ? "space" : "comma";
}

type QueryStyle = Exclude<Parameter["style"], "json" | "named">;

/** True for a media type of JSON, in lower case. */
export function isJsonType(type: string): boolean {
  return /^application\/([\w.-]{1,127}\+)?json\b/.test(type);
}

/** True if a parameter, or a member of a form, contains reserved characters as they are. */
export function keepsReserved(value: unknown): boolean {
  return isRecord(value) && value.allowReserved === true;
}

/** Reads the serialization of the members of a URL-encoded form. */
export function readEncoding(
  media: Record<string, unknown>,
  document: unknown,
): Pick<OperationBody, "styles" | "reserved"> {
  const all = isRecord(media.encoding) ? Object.entries(media.encoding) : [];
  const reserved = all.flatMap(([name, value]) => (keepsReserved(value) ? [name] : []));
  return { ...readMemberStyles(media, document), ...(reserved.length > 0 && { reserved }) };
}

/** Reads the styles of the members of a form. */
export function readMemberStyles(
  { schema, encoding }: Record<string, unknown>,
  document: unknown,
): Pick<OperationBody, "styles"> {
  const styles = (isRecord(encoding) ? Object.entries(encoding) : []).flatMap(([name, value]) => {
    const style = isRecord(value) ? readMemberStyle(value) : undefined;
    const isDefault = style === undefined || (style === "repeat" && isList(name, schema, document));
    return isDefault ? [] : [[name, memberStyles[style]] as const];
  });
  return styles.length > 0 ? { styles: Object.fromEntries(styles) } : {};
}

/** True if a member of a form has a style. Its media type does not apply then. */
export function declaresStyle({ style, explode, allowReserved }: Record<string, unknown>): boolean {
  return style !== undefined || explode !== undefined || allowReserved !== undefined;
}

/** Reads the serialization of a member. A media type applies only if no style is declared. */
function readMemberStyle(encoding: Record<string, unknown>): QueryStyle | "json" | undefined {
  const { contentType } = encoding;
  if (declaresStyle(encoding)) return readQueryStyle(encoding);
  return typeof contentType === "string" && isJsonType(contentType.toLowerCase()) ? "json" : undefined;
}

const memberStyles: Readonly<Record<QueryStyle | "json", MemberStyle>> = {
  repeat: "members",
  deep: "deep",
  comma: ",",
  pipe: "|",
  space: " ",
  json: "json",
};

/** True for a member other than an object, as far as the schema of the form says. The values of an object are sent as pairs anyway. */
function isList(name: string, value: unknown, document: unknown): boolean {
  const schema = follow(value, document);
  const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
  const member = Object.hasOwn(properties, name) ? follow(properties[name], document) : undefined;
  return isRecord(member) && typeof member.type === "string" && member.type !== "object";
}
