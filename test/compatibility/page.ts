import { table } from "../../tools/reference/markdown.ts";
import { escapeText } from "../kit/docs-page.ts";
import type { ClientResult } from "./try-client.ts";
import type { RuleCount, ServerResult } from "./try-server.ts";

/** Outcome of a run with servers. */
export interface Results {
  /** Day of the run: `YYYY-MM-DD`. */
  readonly date: string;
  /** Version of Node.js. */
  readonly node: string;
  readonly clients: readonly { readonly package: string; readonly version: string }[];
  readonly servers: readonly ServerResult[];
}

/** Outcome of a run with clients. */
export interface ClientResults {
  /** Day of the run: `YYYY-MM-DD`. */
  readonly date: string;
  /** Version of the Node.js that ran the clients. */
  readonly node: string;
  readonly clients: readonly ClientResult[];
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

/** Renders the page of both runs. */
export function renderPage({ date, node, clients, servers }: Results, tries: ClientResults): string {
  const tried = servers.filter(({ revisions }) => revisions.length > 0);
  const passed = tried.filter(({ problems }) => problems.length === 0);
  return `# Compatibility

<!-- Written by \`npm run docs:compatibility\`. Do not edit. -->

Servers and clients of others that are tried with this package.

## Servers

Run of ${date}, Node.js ${node}.

${passed.length} of ${tried.length} servers work with every command. Each is a package of the npm registry that starts without credentials, in its version of that day, over stdio:

- \`check\` connects at every revision and reports what it finds.
- \`gateway --record\` serves it over HTTP. The official clients of both generations list its tools, with a session and without one, and call a tool that does not exist.
- \`replay --against\` sends the recorded requests to the server again, and finds no difference.
- \`client\` generates a typed client, which compiles in strict mode.
- \`inspect\` shows its tools in Chromium. Nothing is written to the console of the page.

${table(["package", "version", "revisions", "tools", "other commands", "findings of `check`"], servers.map(renderServer))}

Findings are counted over all revisions. Errors are in bold. \`replay\` reports servers whose messages differ from one session to the next, such as logs of their start.

## Clients

Run of ${tries.date}, Node.js ${tries.node}. Each is a package of the npm registry, in the version npm installs that day, with a server of ours over Streamable HTTP:

- **connects, lists, calls, errors, 1 MB**: it lists the tools, calls one, passes on the error of another, and gets a result of 1 MB.
- **progress**: it calls a tool which reports progress three times. The table shows how many reports the caller gets, or "not requested".
- **after a restart**: what two calls do after a restart of the server, which responds to the id of a lost session with 404.
- **without sessions**: the same with \`--stateless\`, or \`sessions: false\`.

${table(tryColumns, tries.clients.map(renderTry))}

${describeRestarts(tries.clients)}

## Official clients

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

const tryColumns: readonly string[] = [
  "package",
  "version",
  "revision",
  "connects, lists, calls, errors, 1 MB",
  "progress",
  "after a restart",
  "without sessions",
];

function renderTry(result: ClientResult): string[] {
  const { problems, progress, with: others } = result;
  const name = others.length === 0 ? result.package : `${result.package} (with ${others.join(", ")})`;
  const reports = progress.requested ? `${progress.heard} of 3` : "not requested";
  const works = problems.map((problem) => problem.slice(0, longestProblem)).join("; ") || "work";
  const cells = [name, result.version, result.revision, works, reports, result.restart, result.statelessRestart];
  return cells.map(escapeText);
}

function describeRestarts(clients: readonly ClientResult[]): string {
  const bound = clients.filter(({ restart }) => restart !== "goes on");
  const failing = bound.filter(({ restart }) => restart.startsWith("fails"));
  const goingOn = clients.filter(({ statelessRestart }) => statelessRestart === "goes on");
  return `A call fails after a restart with ${failing.length} of the ${bound.length} clients with a session; 2026-07-28 has no sessions. Without sessions, ${goingOn.length} of ${clients.length} clients go on.`;
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
