import { anchorOf, table } from "../../tools/reference/markdown.ts";
import { escapeText } from "../kit/docs-page.ts";
import { mutatedFolders, nameOf } from "../mutation/folders.ts";
import { hasPassed, type CampaignResult, type Figure } from "./result.ts";

/** Part of the page. */
interface Section {
  /** Name of the result. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
  /** Part that makes the result. */
  readonly part: string;
}

const soakText =
  "Clients at all revisions call tools, cancel calls, subscribe to resources and start tasks, in sessions that are opened, replaced and dropped, at half of the highest rate that was measured at the start. Memory and descriptors are measured without clients, memory after a forced collection and without compiled code: V8 compiles rare functions for an hour.";

const soaks: readonly Section[] = [
  ["memory", "in memory"],
  ["stdio", "over stdio"],
  ["http", "over Streamable HTTP"],
  ["websocket", "over WebSocket"],
  ["tcp", "over TCP"],
].map(([transport, words]) => ({
  name: `soak-${transport}`,
  title: `Load ${words}`,
  text: soakText,
  part: "soak",
}));

const mutations: readonly Section[] = Object.keys(mutatedFolders).map((folder) => ({
  name: `mutation-${nameOf(folder)}`,
  title: `Mutants of ${folder}`,
  text: "Each mutant is the code with one change, such as another operator or an empty text. The tests of the folder detect it if one fails. Each mutant that they do not detect has been reviewed, and its reason is in `test/mutation/accepted`. A run of all mutants tests only what has changed since the last one on the same machine; a first run may take hours. `--count` draws some of them.",
  part: "mutation",
}));

/** All parts in the order of the page. One without a result is listed as not run. */
const sections: readonly Section[] = [
  {
    name: "fuzz",
    title: "Fuzzed messages",
    text: "Messages that are wrong in every way, to servers and clients, over all transports and at all revisions. Each has the documented error, and the next message is served.",
    part: "fuzz",
  },
  ...soaks,
  {
    name: "sessions",
    title: "Sessions that end in every way",
    text: "Sessions over HTTP, HTTP with SSE, WebSocket and TCP, the same number of each, are ended by their clients, broken off, or abandoned. Another client is served meanwhile. Memory is measured after a forced collection.",
    part: "sessions",
  },
  {
    name: "cuts",
    title: "Cuts of streams",
    text: "Clients of this package are connected through a proxy that cuts their streams of events, at a byte that is drawn. They resume with `Last-Event-ID` at the revisions that have it.",
    part: "cuts",
  },
  {
    name: "slow-reader",
    title: "Readers that stop",
    text: "A client stops to read while a call pushes 256 MiB to it, and continues after 15 s. A handler that awaits its messages is held back, and all of them arrive. Of one that does not, log messages are dropped, and the response arrives. Responses that a client requests and does not read wait up to `maxBufferedBytes`, beyond which the connection ends. The server runs with `--max-semi-space-size=1`, so that the figures show waiting messages and not garbage.",
    part: "slow-reader",
  },
  {
    name: "long-line",
    title: "Messages without an end",
    text: "The receiver may take 40 MB in addition to the longest message that it accepts, and drops the rest.",
    part: "long-line",
  },
  {
    name: "kill",
    title: "Servers that are killed",
    text: "A server is killed with `SIGKILL` while calls of all kinds are in flight, and is started again. The same client is then served by the next process. The transports share the kills in equal parts.",
    part: "kill",
  },
  {
    name: "limits",
    title: "Limits",
    text: "Each documented limit is reached once. The error is the documented one, and others are served.",
    part: "limits",
  },
  ...mutations,
  {
    name: "edits",
    title: "Single wrong edits",
    text: "Mutants of all folders, half of them in code that awaits, without those that are accepted. The tests of its folder run against each.",
    part: "edits",
  },
];

/** Renders the page of all results. */
export function renderPage(results: readonly CampaignResult[]): string {
  const found = new Map(results.map((result) => [result.name, result]));
  const unknown = results.find(({ name }) => !sections.some((section) => section.name === name));
  if (unknown) throw new Error(`The result ${unknown.name} has no section; add one to page.ts`);
  const rows = sections.map((section) => renderRow(section, found.get(section.name)));
  const details = sections.flatMap((section) => {
    const result = found.get(section.name);
    return result ? [renderSection(section, result)] : [];
  });
  return `# Reliability

<!-- Written by \`npm run docs:reliability\`. Do not edit. -->

Long runs that look for rare faults, with their last results. They are run by hand, and CI runs a short form of each but the mutants. \`npm run campaign -- --help\` lists the parts. A run
with the same seed makes the same choices. A goal that was not met is in bold.

${table(["run", "day", "duration", "seed", "result"], rows)}

${details.join("\n\n")}
`;
}

function renderRow({ title }: Section, result: CampaignResult | undefined): string[] {
  if (!result) return [title, "", "", "", "not run"];
  const day = result.startedAt.slice(0, 10);
  const link = `[${title}](#${anchorOf(title)})`;
  return [link, day, describeDuration(result.seconds), String(result.seed), describeOutcome(result)];
}

function describeOutcome(result: CampaignResult): string {
  if (hasPassed(result)) return "passed";
  // A run that has found nothing, and that another one can continue.
  return result.progress && result.violations.length === 0 ? "not finished" : "**failed**";
}

function renderSection(
  { title, text, part }: Section,
  { figures, violations, machine, seed, options }: CampaignResult,
): string {
  const { node, platform, cores, memory, processor } = machine;
  const command = [part, ...Object.entries({ ...options, seed }).map(([name, value]) => `--${name} ${value}`)].join(
    " ",
  );
  const found = violations.map((violation) => `- ${escapeText(violation)}`).join("\n");
  return `## ${title}

${text}

Command: \`npm run campaign -- ${command}\`. Machine: ${escapeText(processor)}, ${cores} cores, ${memory} GiB, ${platform}, Node.js ${node}.

${table(["figure", "value", "goal"], figures.map(renderFigure))}

${violations.length === 0 ? "No violations." : `Violations:\n\n${found}`}`;
}

function renderFigure({ name, value, unit, goal = "", isMet }: Figure): string[] {
  const text = `${value.toLocaleString("en-US", { maximumFractionDigits: 2 })} ${unit}`.trim();
  return [escapeText(name), isMet ? text : `**${text}**`, goal];
}

function describeDuration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
