/** Problem in a spec file, with its place. */
export interface SpecProblem {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly text: string;
}

/** Error for a problem in a file under `spec/`. The message starts with `file:line:column`, which editors and terminals turn into a link. */
export class SpecError extends Error {
  override readonly name = "SpecError";
  readonly file: string;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(problem: SpecProblem) {
    const place = [problem.file, problem.line, problem.column].filter((part) => part !== undefined).join(":");
    super(`${place}: ${problem.text}`);
    this.file = problem.file;
    this.line = problem.line;
    this.column = problem.column;
  }
}

/** Returns an error text for an unknown revision that lists the known ones. */
export function unknownRevision(id: string, known: ReadonlyMap<string, unknown>): string {
  return `unknown revision \`${id}\`; choose one of ${[...known.keys()].join(", ")}`;
}
