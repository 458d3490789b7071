/** Returns a reply if it is a list; otherwise an empty list. */
export function toList(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : [];
}

/** Returns a text or a number of a reply as text; `undefined` for anything else. */
export function toText(reply: unknown): string | undefined {
  if (typeof reply === "number") return String(reply);
  return typeof reply === "string" ? reply : undefined;
}

/** Returns the texts in a list. */
export function toTexts(reply: unknown): readonly string[] {
  return toList(reply).flatMap((item) => toText(item) ?? []);
}

/** Returns a number of a reply, or its text as a number; 0 for anything else. */
export function toNumber(reply: unknown): number {
  const number = Number(toText(reply));
  return Number.isNaN(number) ? 0 : number;
}
