import { fail, under, type Issue } from "../../../generated/support.ts";

/**
 * Checks the trace context in metadata before it is sent. Returns the first invalid value: receivers would discard it, and with it the trace.
 *
 * @see https://www.w3.org/TR/trace-context/
 * @see https://www.w3.org/TR/baggage/
 */
export function checkTraceContext(meta: Readonly<Record<string, unknown>>): Issue | undefined {
  for (const { key, expected, isValid } of fields)
    if (meta[key] !== undefined && !isValid(meta[key])) return under("_meta", fail(expected, key));
  return undefined;
}

/**
 * Returns a copy of the trace context in a peer's metadata, without invalid values. It has no other members.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta
 */
export function readTraceContext(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const read: Record<string, string> = {};
  for (const { key, isValid } of fields) {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined;
    if (isValid(value)) read[key] = value;
  }
  return read;
}

const parent = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

const stateMember = /^[a-z\d][\w*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Matches a key, a value without separators, and properties of either kind. */
const baggageMember = /^[!#$%&'*+.^`|~\w-]+\s*=[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e\s]*(?:;[^,"\\]*)?$/;

/** Matches text that may be sent as a header field. The only white space in it is blanks and tabs. */
const fieldText = /^[\t\x20-\x7e]*$/;

/** Maximum characters of baggage; the limits of the other values are far lower. */
const longest = 8_192;

function isParent(value: unknown): value is string {
  return typeof value === "string" && parent.test(value);
}

function isList(value: unknown, member: RegExp, most: number): value is string {
  if (typeof value !== "string" || value.length > longest || !fieldText.test(value)) return false;
  const members = value.split(",").map((one) => one.trim());
  // Empty members are allowed, so that lists can be concatenated.
  const full = members.filter((one) => one !== "");
  return full.length > 0 && full.length <= most && full.every((one) => member.test(one));
}

interface TraceField {
  readonly key: string;
  /** Description of a valid value. */
  readonly expected: string;
  isValid(value: unknown): value is string;
}

const fields: readonly TraceField[] = [
  { key: "traceparent", expected: "a W3C trace parent", isValid: isParent },
  {
    key: "tracestate",
    expected: "a W3C trace state",
    isValid: (value): value is string => isList(value, stateMember, 32),
  },
  { key: "baggage", expected: "W3C baggage", isValid: (value): value is string => isList(value, baggageMember, 180) },
];

/** True for a key of trace context in `_meta`. */
export function isTraceKey(key: string): boolean {
  return fields.some((field) => field.key === key);
}
