/**
 * Returns why the newest version of a server is not the one that is served, from the output of its development server; `undefined` without a problem.
 */
export function findBuildProblem(output: string): string | undefined {
  const lines = output.split("\n");
  const at = lines.findLastIndex((line) => line.startsWith(prefix));
  const line = lines[at]?.slice(prefix.length) ?? "";
  if (!problems.test(line)) return undefined;
  // An error of the bundler is in the next line, with its place.
  const next = line.endsWith(":") ? ` ${lines[at + 1]?.trim() ?? ""}` : "";
  return `${line}${next}`.slice(0, longest).trim();
}

const prefix = "[dev] ";

const problems =
  /^(?:not built|not reloaded|not started|failed after|the new version serves nothing|the bundle cannot be written|the server (?:has ended|cannot be started))/;

/** Maximum length of a problem, in characters. The whole output is in the log. */
const longest = 500;
