import { join } from "node:path";
import { packageRoot } from "../../generator/internal/package-info.ts";

/** Figure of a workload, for each contestant that has it. */
export interface Figure {
  readonly id: string;
  /** Contestant of this project. */
  readonly subject: string;
  readonly title: string;
  readonly unit: string;
  readonly better: "higher" | "lower";
  /** Memory or size, which other programs on the machine hardly change. Default: false. */
  readonly isSteady?: boolean;
  /** Values of the repetitions, by contestant. */
  readonly values: Readonly<Record<string, readonly number[]>>;
}

export interface Contestant {
  readonly id: string;
  readonly label: string;
  /** Versions of its packages, by name. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Results of a workload, with the facts about the machine. */
export interface Measurement {
  /** Day of the run: `YYYY-MM-DD`. */
  readonly date: string;
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  /** Number of measurements that waited for a quiet machine. */
  readonly guarded: number;
  /** Number of them that other programs disturbed. */
  readonly disturbed: number;
  readonly contestants: readonly Contestant[];
  readonly figures: readonly Figure[];
}

/** Results of the last run of each workload. */
export type Summary = Readonly<Record<string, Measurement>>;

/** Figure with facts about its measurement. */
export interface PlacedFigure extends Figure {
  readonly workload: string;
  readonly contestants: readonly Contestant[];
  /** Whether other programs may have changed it. */
  readonly isDisturbed: boolean;
}

export const summaryFile: string = join(packageRoot, "bench", "summary.json");

export function listFigures(summary: Summary): PlacedFigure[] {
  return Object.entries(summary).flatMap(([workload, measurement]) =>
    measurement.figures.map((figure) => ({
      ...figure,
      workload,
      contestants: measurement.contestants,
      isDisturbed: figure.isSteady !== true && isDisturbed(measurement),
    })),
  );
}

/** Returns the workloads with figures that have to be measured again. */
export function disturbedWorkloads(summary: Summary): string[] {
  const disturbed = listFigures(summary).filter((figure) => figure.isDisturbed);
  return [...new Set(disturbed.map(({ workload }) => workload))];
}

/** Share of disturbed measurements above which figures are approximate. */
const mostDisturbed = 0.2;

function isDisturbed({ guarded, disturbed }: Measurement): boolean {
  return guarded === 0 || disturbed / guarded > mostDisturbed;
}

/** Returns the median of a contestant, or `undefined` where it was not measured. */
export function medianOf({ values }: Figure, contestant: string): number | undefined {
  const sorted = (values[contestant] ?? []).toSorted((one, other) => one - other);
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return middle.length === 0 ? undefined : middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

/** Returns half of the distance between the highest and the lowest repetition, as a share of the median. */
export function spreadOf(figure: Figure, contestant: string): number | undefined {
  const values = figure.values[contestant] ?? [];
  const median = medianOf(figure, contestant);
  if (values.length < 2 || median === undefined) return undefined;
  return (Math.max(...values) - Math.min(...values)) / 2 / median;
}

/** Returns how many times as good this project is as a contestant: above 1, it is faster, or needs less. */
export function ratioOf(figure: Figure, contestant: string): number | undefined {
  const own = medianOf(figure, figure.subject);
  const other = medianOf(figure, contestant);
  if (own === undefined || other === undefined) return undefined;
  return figure.better === "higher" ? own / other : other / own;
}

/** Formats a value with three significant digits. */
export function formatValue(value: number): string {
  return value.toLocaleString("en-US", { maximumSignificantDigits: 3 });
}

/** Formats a ratio with two significant digits. */
export function formatRatio(ratio: number): string {
  return `${ratio.toLocaleString("en-US", { maximumSignificantDigits: 2, minimumSignificantDigits: 2 })} ×`;
}
