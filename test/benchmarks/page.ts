import { table } from "../../tools/reference/markdown.ts";
import { drawChart, escape, type Bar, type Chart, type Theme } from "./chart.ts";
import { commandFigures, renderGoals } from "./goals.ts";
import {
  disturbedWorkloads,
  formatRatio,
  formatValue,
  listFigures,
  medianOf,
  spreadOf,
  ratioOf,
  type PlacedFigure,
  type Summary,
} from "./summary.ts";

/** Peer or floor, with the contestants that stand for it. */
interface Column {
  readonly title: string;
  readonly contestants: readonly string[];
}

/** Part of the page. */
interface Section {
  readonly title: string;
  readonly text: string;
  /** Peers and floors of the ratios. */
  readonly columns: readonly Column[];
  readonly figures: readonly string[];
  /** Figures that are drawn. */
  readonly charts: readonly string[];
  /** Contents of the table. Default: ratios to the columns. */
  readonly cells?: "ratios" | "values";
}

const floor: Column = { title: "floor", contestants: ["floor"] };
const sdk1: Column = { title: "SDK v1", contestants: ["sdk1"] };
const sdk2: Column = { title: "SDK v2", contestants: ["sdk2-modern", "sdk2"] };
const tmcp: Column = { title: "tmcp", contestants: ["tmcp"] };

const sections: readonly Section[] = [
  {
    title: "Calls",
    text: `Calls of a tool that returns its input. "In memory" includes the client of the same package. Over stdio, TCP and HTTP, the client is a raw driver that costs little, so that the server is what
is measured. The driver and the server share the machine. Over stdio and TCP, servers of this project stay below the floor, which checks nothing: each message is scanned for its limits and
for duplicate members before it is parsed, and that is kept.`,
    columns: [floor, sdk1, sdk2, tmcp],
    figures: [
      "memory",
      "memory-cpu",
      "memory-modern",
      "memory-modern-cpu",
      "stdio",
      "stdio-cpu",
      "stdio-modern",
      "stdio-modern-cpu",
      "stdio-client",
      "tcp",
      "tcp-cpu",
      "tcp-modern",
      "tcp-modern-cpu",
      ...["stateful-json", "stateful-sse", "modern-json", "modern-sse"].flatMap((mode) => [
        `http-${mode}`,
        `http-${mode}-cpu`,
      ]),
    ],
    charts: ["memory", "memory-modern", "stdio", "http-stateful-json", "http-modern-json"],
  },
  {
    title: "Start, size and idle sessions",
    text: `The server over stdio of this project is a new project in one file, as \`npm run build\` of the project makes it. Servers with "bundled" in their name are built by the same bundler with the
same options; all others run from their packages. A bundle imports zod as the examples of its package do: \`import { z }\` brings all of zod, and its messages in every language, while bundlers drop
what \`import * as z\` does not use.`,
    columns: [floor, sdk1, sdk2, tmcp],
    figures: ["start", "import", "bundle", "bundle-namespace", "session-memory", "broadcast"],
    charts: ["start", "import", "bundle", "session-memory"],
  },
  {
    title: "Compile time",
    text: `A server with 600 tools, each with an input and an output schema of zod, checked by the compiler of TypeScript 7 with the settings of a new project. "Schemas alone" are the same schemas with
functions of their types. SDK v1 gets the members of the schemas, as its API requires.

The editor is the language server of TypeScript 7 with the same server. Each edit is in the function of its last tool: it either begins another argument, for which the editor proposes names, or
reads a member that does not exist.`,
    columns: [{ title: "schemas alone", contestants: ["zod4"] }, sdk1, sdk2, tmcp],
    figures: ["types-seconds", "types-memory", "editor-completion", "editor-error"],
    charts: ["types-seconds"],
  },
  {
    title: "Commands",
    text: `Commands of this package as a user runs them, in temporary folders, beside \`node -e 0\` as the floor. Processor time includes that of servers, compilers and test runners that the command starts.`,
    columns: [floor],
    figures: commandFigures.flatMap((id) => [id, `${id}-cpu`]),
    charts: [],
    cells: "values",
  },
  {
    title: "Several processes, many clients",
    text: `Two processes of \`node:cluster\` that share a port, without sessions, beside one process, with 64 connections. The driver runs on the same cores, so that requests per second cannot
show what a second process adds. Instead, each process counts its requests and its processor time: the busier one limits what both serve. 2 would be perfect; contention for
memory and for the kernel is included only as far as it takes processor time. The process that distributes connections takes hardly any.

One process that holds many sessions, and streams of both kinds, opened from several addresses of the machine. The floor knows the ids of its sessions, and nothing else. Memory is resident memory
after garbage collection, without that of sockets in the kernel. Meanwhile, calls of sessions that are chosen at random begin at a steady rate of 500 a second. The number of streams is 20,000, or
what the system permits: a process may open as many files as \`ulimit -Hn\` says.`,
    columns: [floor, sdk2],
    figures: [
      ...["stateless-json", "modern-json"].flatMap((mode) => [`processes-${mode}`, `processes-${mode}-share`]),
      ...["many-session-memory", "many-get-memory", "many-listen-memory", "many-memory"],
      ...["few-cpu", "many-cpu", "few-p50", "many-p50", "few-p99", "many-p99"],
    ],
    charts: [],
    cells: "values",
  },
  {
    title: "Validation",
    text: `Messages that are parsed already. A third of them is invalid, and every contestant has to find that out. The hand-written functions stand for the least that checks these messages; they
know no others. For "decode, validate and encode", the floor is \`JSON.parse\` and \`JSON.stringify\`.`,
    columns: [
      { title: "hand-written or floor", contestants: ["hand", "floor"] },
      { title: "typebox", contestants: ["typebox"] },
      { title: "ajv", contestants: ["ajv"] },
      sdk1,
      sdk2,
    ],
    figures: ["2025-11-25", "2026-07-28"].flatMap((revision) =>
      ["validate-small", "validate-big", "validate-invalid", "codec"].map((name) => `${name}-${revision}`),
    ),
    charts: ["validate-small-2025-11-25", "validate-big-2025-11-25"],
  },
];

const pictureFolder = "pictures/benchmarks";

/** Renders the page, without the pictures. */
export function renderPage(summary: Summary): string {
  const figures = listFigures(summary);
  const measured = sections.filter((section) => pick(figures, section.figures).length > 0);
  return `# Benchmarks

<!-- Written by \`npm run docs:benchmarks\`. Do not edit. -->

This project beside its peers and beside the bounds that bare Node sets, in one run on the same machine.

A ratio says how many times as good this project is: above 1 it is faster, or it needs less memory, time or space. The **floor** is a program on bare Node that does
only what cannot be left out: it validates nothing and keeps no sessions. It is no usable server, and a ratio to it is at best about 1.

In the charts, the ratio of this project to a contestant is in brackets behind the value of the contestant.
${renderWarning(summary)}
${measured.map((section) => renderSection(section, figures)).join("\n\n")}

## Goals

What this project wants to reach, on two quiet cores.

${renderGoals(figures)}

## Method

${method}

## Limits

${limits}

## Machine and versions

${renderMachines(summary)}

${renderVersions(summary)}

## Values

Medians of the repetitions. The share behind a value is half of the distance between the highest and the lowest repetition.

${table(["figure", "create-mcp-server", "others"], figures.map(renderValues))}
`;
}

/** Draws the charts of the page: texts of SVG files by their names. */
export function drawPictures(summary: Summary): Map<string, string> {
  const figures = listFigures(summary);
  const charts = sections.flatMap((section) => pick(figures, section.charts));
  const themes: readonly Theme[] = ["light", "dark"];
  return new Map(
    charts.flatMap((figure) =>
      themes.map((theme) => [pictureName(figure, theme), drawChart(toChart(figure), theme)] as const),
    ),
  );
}

const pictureName = ({ id }: PlacedFigure, theme: Theme): string => `${id}-${theme}.svg`;

function pick(figures: readonly PlacedFigure[], ids: readonly string[]): PlacedFigure[] {
  return ids.flatMap((id) => figures.find((figure) => figure.id === id) ?? []);
}

function renderSection(
  { title, text, columns, figures, charts, cells }: Section,
  all: readonly PlacedFigure[],
): string {
  const isOfValues = cells === "values";
  const titles = columns.map((column) => column.title);
  const rows = pick(all, figures).map((figure) => {
    const row = isOfValues ? renderCells(figure, columns) : renderRatios(figure, columns);
    return `| ${figure.title} | ${row} |`;
  });
  const header = isOfValues ? ["", "create-mcp-server", ...titles] : ["ratio to", ...titles];
  const parts = [
    `## ${title}`,
    text,
    [`| ${header.join(" | ")} |`, `| --- |${" ---: |".repeat(header.length - 1)}`, ...rows].join("\n"),
    ...pick(all, charts).map(renderPicture),
  ];
  return parts.join("\n\n");
}

/** Renders the values of this project and of the columns. */
function renderCells(figure: PlacedFigure, columns: readonly Column[]): string {
  const mark = figure.isDisturbed ? "~ " : "";
  const find = (contestants: readonly string[]): number | undefined =>
    contestants.map((contestant) => medianOf(figure, contestant)).find((value) => value !== undefined);
  return [[figure.subject], ...columns.map(({ contestants }) => contestants)]
    .map(find)
    .map((value) => (value === undefined ? "" : `${mark}${formatValue(value)} ${figure.unit}`))
    .join(" | ");
}

function renderRatios(figure: PlacedFigure, columns: readonly Column[]): string {
  const ratios = columns.map(({ contestants }) =>
    contestants.map((contestant) => ratioOf(figure, contestant)).find((ratio) => ratio !== undefined),
  );
  const mark = figure.isDisturbed ? "~ " : "";
  return ratios.map((ratio) => (ratio === undefined ? "" : `${mark}${formatRatio(ratio)}`)).join(" | ");
}

function renderPicture(figure: PlacedFigure): string {
  const { title, description } = toChart(figure);
  const alternative = escape(`${title}. ${description}`);
  return `<picture>
  <source media="(prefers-color-scheme: dark)" srcset="./${pictureFolder}/${pictureName(figure, "dark")}">
  <img src="./${pictureFolder}/${pictureName(figure, "light")}" alt="${alternative}">
</picture>`;
}

/** Bars from the best to the worst. */
function toChart(figure: PlacedFigure): Chart {
  const { subject, title, unit, better } = figure;
  const bars = figure.contestants.flatMap(({ id, label }): Bar[] => {
    const value = medianOf(figure, id);
    const ratio = ratioOf(figure, id);
    if (value === undefined || ratio === undefined) return [];
    const text = `${formatValue(value)} ${unit}${id === subject ? "" : ` (${formatRatio(ratio)})`}`;
    return [{ kind: id === subject ? "own" : kindOf(id), label, value, text }];
  });
  const direction = better === "higher" ? 1 : -1;
  const sorted = bars.toSorted((one, other) => direction * (other.value - one.value));
  const description = `${sorted.map(({ label, text }) => `${label}: ${text}`).join("; ")}.`;
  return { title: `${title} (${better === "higher" ? "more" : "less"} is better)`, description, bars: sorted };
}

const kindOf = (contestant: string): Bar["kind"] => (/^(floor|hand)/.test(contestant) ? "floor" : "peer");

function renderValues(figure: PlacedFigure): string[] {
  const texts = figure.contestants.flatMap(({ id, label }) => {
    const value = medianOf(figure, id);
    if (value === undefined) return [];
    const spread = spreadOf(figure, id);
    const text = `${formatValue(value)} ${figure.unit}${spread === undefined ? "" : ` ±${Math.round(spread * 100)} %`}`;
    return [{ id, text: id === figure.subject ? text : `${label} ${text}` }];
  });
  const own = texts.find(({ id }) => id === figure.subject)?.text ?? "";
  const others = texts.filter(({ id }) => id !== figure.subject).map(({ text }) => text);
  return [figure.title, own, others.join("; ")];
}

function renderWarning(summary: Summary): string {
  const names = disturbedWorkloads(summary);
  if (names.length === 0) return "";
  return `
> [!WARNING]
> Other programs ran during the measurements of ${names.join(", ")}. The ratios marked with ~ can be several times too high or too low, and the values behind them are worse than on a quiet machine.
`;
}

function renderMachines(summary: Summary): string {
  const rows = Object.entries(summary).map(([name, one]) => [
    name,
    one.date,
    `${one.cores} cores of ${one.cpu}, ${one.memoryGiB} GiB, ${one.system}`,
    one.node,
    `${one.disturbed} of ${one.guarded}`,
  ]);
  return table(["workload", "day", "machine", "Node.js", "disturbed measurements"], rows);
}

function renderVersions(summary: Summary): string {
  const versions = new Map(
    Object.values(summary).flatMap(({ contestants }) => contestants.flatMap((one) => Object.entries(one.versions))),
  );
  return table(["package", "version"], [...versions].toSorted());
}

const method = `- \`npm run docs:benchmarks -- --run\` measures and writes this page. \`npm run docs:benchmarks\` writes it again from \`bench/summary.json\`. The [benchmarks](../bench/README.md) describe
  every workload (W1 to W17) and contestant.
- Each measurement runs in a process of its own. Repetitions are interleaved: each contestant is measured once, then each one again, so that a slow minute of the machine meets all of them.
- Warm-up is counted in calls, so that slow contestants run compiled code as well.
- Before each measurement the run waits for a quiet machine, for a limited time. It counts the processor time of other programs meanwhile, repeats a disturbed measurement, and keeps the least
  disturbed one.
- Clients and drivers check the content of every response.
- CI runs a short form, \`npm run bench:short\`. It compares processor time for each call with a peer or a floor, and fails when a ratio is 30 % below the one in \`bench/short.json\`.`;

const limits = `- One machine with few cores: clients and servers compete for them, and the kernel takes a good part of the time of stdio and HTTP.
- Small messages and a tool that does nothing. In a real server, the tool takes most of the time, and the difference is smaller.
- Ratios of a figure come from one run. Workloads run one after another, so do not compare values of different workloads.
- Peers do different work. Some validate less, keep fewer sessions, or answer with SSE where others answer with JSON.
- A contestant is left out of a figure when it does not support the transport or revision, or failed in the run.`;
