/** Returns an error text for an unknown revision that lists the known ones. */
export function unknownRevision(id: string, known: ReadonlyMap<string, unknown>): string {
  return `unknown revision \`${id}\`; choose one of ${[...known.keys()].join(", ")}`;
}
