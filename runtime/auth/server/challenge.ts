/** A way to be authorized, as `WWW-Authenticate` tells it. */
export interface OfferedChallenge {
  readonly scheme: "Bearer" | "DPoP";
  /** In this order; what is undefined is left out. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/**
 * The value of `WWW-Authenticate`.
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

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}
