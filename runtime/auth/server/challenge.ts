/** Challenge in a `WWW-Authenticate` header. */
export interface OfferedChallenge {
  readonly scheme: "Bearer" | "DPoP";
  /** Parameters in their output order. Undefined ones are omitted. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the value of a `WWW-Authenticate` header.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */
export function formatChallenges(challenges: readonly OfferedChallenge[]): string {
  return challenges.map(formatChallenge).join(", ");
}

function formatChallenge({ scheme, parameters }: OfferedChallenge): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return `${scheme} ${given.map(([name, value = ""]) => `${name}=${quote(value)}`).join(", ")}`.trimEnd();
}

/**
 * Quotes a value. Characters forbidden in parameters are replaced: descriptions of errors are any text.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-3
 */
function quote(text: string): string {
  return `"${text.replaceAll(/[^ !#-[\]-~]/gu, "?")}"`;
}
