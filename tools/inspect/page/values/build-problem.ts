/** Reason why the newest version of a server is not in use, or no longer works. */
export interface BuildProblem {
  /** `kept`: the last good version is served. `failed`: the newest version is served, and has failed. `ended`: no version is served. */
  readonly kind: "kept" | "failed" | "ended";
  readonly text: string;
}

/** Returns the problem of the newest version, from the output of its development server; `undefined` without one. */
export function findBuildProblem(output: string): BuildProblem | undefined {
  const lines = output.split("\n");
  const at = lines.findLastIndex((line) => line.startsWith(prefix));
  const line = lines[at]?.slice(prefix.length) ?? "";
  const kind = kinds.find(([, pattern]) => pattern.test(line))?.[0];
  if (kind === undefined) return undefined;
  // An error of the bundler is in the next line, with its place.
  const next = line.endsWith(":") ? ` ${lines[at + 1]?.trim() ?? ""}` : "";
  return { kind, text: `${line}${next}`.slice(0, longest).trim() };
}

const prefix = "[dev] ";

const kinds: readonly (readonly [BuildProblem["kind"], RegExp])[] = [
  ["ended", /^(?:not started|not built; the server starts|the server (?:has ended|cannot be started))/],
  ["failed", /^failed after/],
  ["kept", /^(?:not built|not reloaded|the new version serves nothing|the bundle cannot be written)/],
];

/** Maximum length of a problem, in characters. The whole output is in the log. */
const longest = 500;
