import { isRecord } from "../internal/json-text.ts";
import { follow } from "./follow.ts";

/** Digits of an integer of 64 bits, with or without a sign. */
const digits = String.raw`^-?\d{1,20}$`;

/** Accepts text for an integer of 64 bits. A number holds 53 of them. */
export function acceptText(schema: Record<string, unknown>): Record<string, unknown> {
  const { type, format, enum: values, const: value } = schema;
  const types: readonly unknown[] = [type].flat();
  if (format !== "int64" || !types.includes("integer") || values !== undefined || value !== undefined) return schema;
  return { ...schema, type: [...types, "string"], pattern: digits };
}

/** Accepts text for integers of 64 bits in a parameter, which is sent as text anyway: for its value, and for the items of its list. */
export function acceptTextOfParameter(value: unknown, document: unknown): unknown {
  const schema = follow(value, document);
  if (!isRecord(schema)) return value;
  const accepting = acceptText(schema);
  if (accepting !== schema) return accepting;
  const items = schema.type === "array" ? follow(schema.items, document) : undefined;
  const item = isRecord(items) ? acceptText(items) : undefined;
  return item === items ? value : { ...schema, items: item };
}
