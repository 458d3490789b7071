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
  /** The problem, without its place. */
  readonly text: string;

  constructor(problem: SpecProblem) {
    super(problemText(problem));
    this.text = problem.text;
    this.file = problem.file;
    this.line = problem.line;
    this.column = problem.column;
  }
}

/** Returns a problem behind its place: `file:line:column: text`. */
export function problemText({ file, line, column, text }: SpecProblem): string {
  return `${[file, line, column].filter((part) => part !== undefined).join(":")}: ${text}`;
}

/** Returns an error text for an unknown revision, with the known ones. */
export function unknownRevision(id: string, known: ReadonlyMap<string, unknown>): string {
  return `unknown revision \`${id}\`; choose one of ${[...known.keys()].join(", ")}`;
}
