import { table } from "../../generator/reference/markdown.ts";
import { escapeText } from "../docs-page.ts";
import type { RuleCount, ServerResult } from "./try-server.ts";

/** Outcome of a run. */
export interface Results {
  /** Day of the run: `YYYY-MM-DD`. */
  readonly date: string;
  /** Version of Node.js. */
  readonly node: string;
  readonly clients: readonly { readonly package: string; readonly version: string }[];
  readonly servers: readonly ServerResult[];
}

/** Packages with clients that `npm test` and the conformance run use against our servers, under their names in `node_modules`. */
export const clientPackages: readonly string[] = [
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/sdk",
  "sdk-1.17",
  "sdk-1.0",
  "sdk-0.5",
  "@modelcontextprotocol/inspector-cli",
];

/** Renders the page of a run. */
export function renderPage({ date, node, clients, servers }: Results): string {
  const tried = servers.filter(({ revisions }) => revisions.length > 0);
  const passed = tried.filter(({ problems }) => problems.length === 0);
  return `# Compatibility

<!-- Written by \`npm run docs:compatibility\`. Do not edit. -->

Servers and clients of others that are tried with the commands of this package. Run of ${date}, Node.js ${node}.

## Servers

${passed.length} of ${tried.length} servers work with every command. Each is a package of the npm registry that starts without credentials, in its version of that day, over stdio:

- \`check\` connects at every revision and reports what it finds.
- \`gateway --record\` serves it over HTTP. The official clients of both generations list its tools, with a session and without one, and call a tool that does not exist.
- \`replay --against\` sends the recorded requests to the server again, and finds no difference.
- \`client\` generates a typed client, which compiles in strict mode.
- \`inspect\` shows its tools in Chromium. Nothing is written to the console of the page.

${table(["package", "version", "revisions", "tools", "other commands", "findings of `check`"], servers.map(renderServer))}

Findings are counted over all revisions. Errors are in bold. \`replay\` reports servers whose messages differ from one session to the next, such as logs of their start.

## Clients

The tests of this repository use these clients against its servers, at each revision and transport that they support.

${table(["package", "version"], clients.map(renderClient))}
`;
}

function renderServer({ package: name, version, revisions, tools, problems, findings }: ServerResult): string[] {
  const others = problems.map((problem) => problem.slice(0, longestProblem)).join("; ");
  const cells = [name, version, describeRevisions(revisions), String(tools), others || "work"];
  return [...cells.map(escapeText), findings.map(renderCount).join(", ") || "none"];
}

function renderClient({ package: name, version }: Results["clients"][number]): string[] {
  return [name.replace(/^sdk-.*/, "@modelcontextprotocol/sdk"), version];
}

/** Number of characters of a problem on the page; the results have the whole text. */
const longestProblem = 160;

function describeRevisions(revisions: readonly string[]): string {
  const [newest = "none", ...older] = revisions;
  const oldest = older.at(-1);
  return oldest === undefined ? newest : `${oldest} to ${newest}`;
}

function renderCount({ rule, severity, count }: RuleCount): string {
  const text = count === 1 ? rule : `${rule} (${count})`;
  return severity === "error" ? `**${text}**` : text;
}
