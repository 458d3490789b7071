import { run, type Outcome, type RunOptions } from "./run.ts";

/** What was done about git. */
export type RepositoryOutcome =
  /** Made, with a first commit. */
  | { readonly kind: "committed" }
  /** Made; there is no commit because git does not know the user's name. */
  | { readonly kind: "initialized" }
  /** The project is inside a repository already. */
  | { readonly kind: "inside" }
  | { readonly kind: "failed"; readonly step: string; readonly outcome: Outcome };

/** Makes a project a git repository, unless it is in one. The first commit needs git to know the user. */
export async function createRepository(message: string, options: RunOptions): Promise<RepositoryOutcome> {
  const git = (...args: string[]): Promise<Outcome> => run("git", args, options);
  if ((await git("rev-parse", "--is-inside-work-tree")).ok) return { kind: "inside" };
  const initialized = await git("init", "--quiet");
  if (!initialized.ok) return { kind: "failed", step: "git init", outcome: initialized };
  const known = await Promise.all([git("config", "user.name"), git("config", "user.email")]);
  if (!known.every(({ ok }) => ok)) return { kind: "initialized" };
  const added = await git("add", "--all");
  if (!added.ok) return { kind: "failed", step: "git add --all", outcome: added };
  const committed = await git("commit", "--quiet", "--message", message);
  return committed.ok ? { kind: "committed" } : { kind: "failed", step: "git commit", outcome: committed };
}
