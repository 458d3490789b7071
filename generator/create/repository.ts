import { run, type Outcome, type RunOptions } from "./run.ts";

/** What was done about git. */
export type RepositoryOutcome =
  /** Made, with a first commit. */
  | { readonly kind: "committed" }
  /** Made, and everything is staged; there is no commit because git does not know the user's name. */
  | { readonly kind: "staged" }
  | { readonly kind: "failed"; readonly step: string; readonly outcome: Outcome };

/** Whether a folder is inside of a repository. Where git is missing, it is in none. */
export async function isInRepository(options: RunOptions): Promise<boolean> {
  return (await run("git", ["rev-parse", "--is-inside-work-tree"], options)).ok;
}

/** Makes a project a git repository. The first commit needs git to know the user. */
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

/** Nobody whom git would have to guess from the names of the account and the machine. */
const knownOnly = ["-c", "user.useConfigOnly=true"] as const;
const identities = ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] as const;

/** A repository of one commit has nothing to tidy up; looking for it is a process more. */
const withoutUpkeep = ["-c", "maintenance.auto=false"] as const;
