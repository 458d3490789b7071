/** Returns a value of a server as text. An object may have members in place of the methods called by `String`. */
export function textOf(value: unknown): string {
  return typeof value === "object" && value !== null ? quote(value) : String(value);
}

/** Quotes the beginning of a value of a server as JSON. */
export function quote(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, longest));
  try {
    return String(JSON.stringify(value)).slice(0, longest);
  } catch {
    return "a value with too many levels";
  }
}

const longest = 100;
