/** Reason why there is no card: it was not received, or its content is not allowed. */
export type ServerCardProblem = "unreachable" | "invalid";

/** Error about a Server Card or a catalog. */
export class ServerCardError extends Error {
  readonly problem: ServerCardProblem;

  constructor(problem: ServerCardProblem, message: string) {
    super(message);
    this.name = "ServerCardError";
    this.problem = problem;
  }
}

/** True for a `ServerCardError`, including one of another copy of this package. */
export function isServerCardError(value: unknown): value is ServerCardError {
  return value instanceof Error && value.name === "ServerCardError" && "problem" in value;
}
