/** Returns a reply that is a list; an empty list for any other. */
export function toList(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : [];
}

/** Returns a reply that is a text or a number as text; `undefined` for any other. */
export function toText(reply: unknown): string | undefined {
  if (typeof reply === "number") return String(reply);
  return typeof reply === "string" ? reply : undefined;
}

/** Returns the texts in a list. */
export function toTexts(reply: unknown): readonly string[] {
  return toList(reply).flatMap((item) => toText(item) ?? []);
}

/** Returns a reply that is a number, or the text of one; 0 for any other. */
export function toNumber(reply: unknown): number {
  const number = Number(toText(reply));
  return Number.isNaN(number) ? 0 : number;
}
