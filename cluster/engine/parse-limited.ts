/** Parses JSON text of limited size. Returns `undefined` when it is longer or invalid. */
export function parseLimited(text: string, maxLength: number): unknown {
  if (text.length > maxLength) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
