import { table } from "../../tools/reference/markdown.ts";
import { formatValue, medianOf, type PlacedFigure } from "./summary.ts";

/** Goal of a figure: of its value, or of its share of another value. */
interface Goal {
  readonly figure: string;
  /** What the value is divided by: the value of a contestant, or that of this project in another figure. Default: nothing. */
  readonly of?: { readonly contestant: string } | { readonly figure: string };
  readonly most?: number;
  readonly least?: number;
}

/** Goals of commands, in seconds. */
const commands = {
  check: 4,
  "check-http": 4,
  client: 2.5,
  explain: 2.5,
  diff: 2.5,
  update: 2.5,
  "update-protocol": 2.5,
  "add-openapi": 2.5,
  pin: 3,
  generate: 1.2,
  create: 0.25,
  "first-call": 6,
  test: 3,
  "test-tools": 8,
} as const;

/** Ids of the figures of commands. */
export const commandFigures: readonly string[] = Object.keys(commands).map((id) => `command-${id}`);

const goals: readonly Goal[] = [
  { figure: "types-seconds", of: { contestant: "sdk2" }, most: 1 },
  { figure: "types-memory", of: { contestant: "sdk2" }, most: 1 },
  { figure: "editor-completion", of: { contestant: "sdk2" }, most: 1 },
  { figure: "editor-error", of: { contestant: "sdk2" }, most: 1 },
  ...Object.entries(commands).map(([id, most]) => ({ figure: `command-${id}`, most })),
  // With the same import of zod in both: another one costs 70 kB that are not of either package.
  { figure: "bundle-namespace", of: { contestant: "tmcp" }, most: 0.95 },
  { figure: "import", most: 15 },
  { figure: "memory-modern-cpu", of: { figure: "memory-cpu" }, most: 1.5 },
  { figure: "broadcast", of: { contestant: "floor" }, most: 1.3 },
  ...["stateful-json", "stateful-sse", "modern-json", "modern-sse"].map((mode) => ({
    figure: `http-${mode}`,
    of: { contestant: "floor" },
    least: 0.88,
  })),
];

/** Renders each measured goal with its value, and whether it is met. */
export function renderGoals(figures: readonly PlacedFigure[]): string {
  const rows = goals.flatMap((goal) => {
    const figure = figures.find(({ id }) => id === goal.figure);
    return figure ? [renderGoal(goal, figure, figures)] : [];
  });
  return table(["figure", "create-mcp-server", "goal", "met"], rows);
}

function renderGoal({ of, most, least }: Goal, figure: PlacedFigure, figures: readonly PlacedFigure[]): string[] {
  const { value, unit } = readValue(figure, of, figures);
  const isMet = value <= (most ?? Infinity) && value >= (least ?? -Infinity);
  const bounds = [...(most === undefined ? [] : [`≤ ${most}`]), ...(least === undefined ? [] : [`≥ ${least}`])];
  const mark = figure.isDisturbed ? "~ " : "";
  return [figure.title, `${mark}${formatValue(value)} ${unit}`, bounds.join(", "), isMet ? "yes" : "no"];
}

function readValue(figure: PlacedFigure, of: Goal["of"], figures: readonly PlacedFigure[]) {
  const own = medianOf(figure, figure.subject) ?? NaN;
  if (of === undefined) return { value: own, unit: figure.unit };
  if ("contestant" in of) {
    const label = figure.contestants.find(({ id }) => id === of.contestant)?.label ?? of.contestant;
    return { value: own / (medianOf(figure, of.contestant) ?? NaN), unit: `of ${label}` };
  }
  const other = figures.find(({ id }) => id === of.figure);
  const base = other && medianOf(other, other.subject);
  return { value: own / (base ?? NaN), unit: `of "${other?.title ?? of.figure}"` };
}
