import { run, type Outcome, type RunOptions } from "./run.ts";

/** Result of the creation of a git repository. */
export type RepositoryOutcome =
  /** Created, with a first commit. */
  | { readonly kind: "committed" }
  /** Created, with all files staged; there is no commit because git does not know the user's name. */
  | { readonly kind: "staged" }
  | { readonly kind: "failed"; readonly step: string; readonly outcome: Outcome };

/** True if a folder is inside a git repository; false where git is missing. */
export async function isInRepository(options: RunOptions): Promise<boolean> {
  return (await run("git", ["rev-parse", "--is-inside-work-tree"], options)).ok;
}

/** Creates a git repository in a project. The first commit needs git to know the user. */
export async function createRepository(message: string, options: RunOptions): Promise<RepositoryOutcome> {
  const git = (...args: string[]): Promise<Outcome> => run("git", args, options);
  const initialized = await git("init", "--quiet");
  if (!initialized.ok) return { kind: "failed", step: "git init", outcome: initialized };
  const added = await git("add", "--all");
  if (!added.ok) return { kind: "failed", step: "git add --all", outcome: added };
  const committed = await git(...knownOnly, ...withoutUpkeep, "commit", "--quiet", "--message", message);
  if (committed.ok) return { kind: "committed" };
  const known = await Promise.all(identities.map((name) => git(...knownOnly, "var", name)));
  return known.every(({ ok }) => ok) ? { kind: "failed", step: "git commit", outcome: committed } : { kind: "staged" };
}

/** Setting to keep git from guessing the identity from the names of the account and the machine. */
const knownOnly = ["-c", "user.useConfigOnly=true"] as const;
const identities = ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] as const;

/** Setting to skip maintenance: a repository of one commit needs none, and the check is another process. */
const withoutUpkeep = ["-c", "maintenance.auto=false"] as const;
