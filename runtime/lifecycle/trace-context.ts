import { fail, under, type Issue } from "../../generated/support.ts";

/**
 * Checks the trace context in metadata before it is sent. Returns the first value that receivers would discard, and with it the trace.
 *
 * @see https://www.w3.org/TR/trace-context/
 * @see https://www.w3.org/TR/baggage/
 */
export function checkTraceContext(meta: Readonly<Record<string, unknown>>): Issue | undefined {
  const { traceparent, tracestate, baggage } = meta;
  if (traceparent !== undefined && !isParent(traceparent)) return issueOf("traceparent", "a W3C trace parent");
  if (tracestate !== undefined && !isList(tracestate, stateMember, 32))
    return issueOf("tracestate", "a W3C trace state");
  if (baggage !== undefined && !isList(baggage, baggageMember, 180)) return issueOf("baggage", "W3C baggage");
  return undefined;
}

const parent = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

const stateMember = /^[a-z\d][\w*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Matches a key, a value without separators, and properties of either kind. */
const baggageMember = /^[!#$%&'*+.^`|~\w-]+\s*=[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e\s]*(?:;[^,"\\]*)?$/;

/** Maximum characters of baggage; the limits of the other values are far lower. */
const longest = 8_192;

function isParent(value: unknown): boolean {
  return typeof value === "string" && value.length <= 55 && parent.test(value);
}

function isList(value: unknown, member: RegExp, most: number): boolean {
  if (typeof value !== "string" || value.length > longest) return false;
  const members = value.split(",").map((one) => one.trim());
  // Empty members are allowed, so that lists can be concatenated.
  const full = members.filter((one) => one !== "");
  return full.length > 0 && full.length <= most && full.every((one) => member.test(one));
}

function issueOf(key: string, expected: string): Issue {
  return under("_meta", fail(expected, key));
}
