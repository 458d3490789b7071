import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { formatPage, readPage } from "../kit/docs-page.ts";
import { drawChart } from "./chart.ts";
import { renderGoals } from "./goals.ts";
import { drawPictures, renderPage } from "./page.ts";
import { disturbedWorkloads, medianOf, spreadOf, ratioOf, summaryFile, type Figure, type Summary } from "./summary.ts";

const summary: Summary = JSON.parse(readFileSync(summaryFile, "utf8"));
const pictures = join(packageRoot, "docs", "pictures", "benchmarks");

describe("the page about benchmarks", () => {
  it("the page shows the committed results", async () => {
    expect(readPage("benchmarks.md")).toBe(await formatPage(renderPage(summary)));
  });

  it("the pictures show the committed results, and there are no others", () => {
    const drawn = drawPictures(summary);
    expect(readdirSync(pictures).toSorted()).toEqual([...drawn.keys()].toSorted());
    for (const [name, text] of drawn) expect(readFileSync(join(pictures, name), "utf8")).toBe(text);
  });

  it("every picture is on the page", () => {
    const page = renderPage(summary);
    expect(
      [...drawPictures(summary).keys()].filter((name) => !page.includes(`./pictures/benchmarks/${name}"`)),
    ).toEqual([]);
  });
});

describe("figures of the benchmarks", () => {
  const figure: Figure = {
    id: "f",
    subject: "ours",
    title: "F",
    unit: "ms",
    better: "lower",
    values: { ours: [4, 2], peer: [9, 12, 8] },
  };

  it("ratios are above 1 where this project is better", () => {
    expect(ratioOf(figure, "peer")).toBe(3);
    expect(ratioOf({ ...figure, better: "higher" }, "peer")).toBe(1 / 3);
    expect(ratioOf(figure, "absent")).toBeUndefined();
  });

  it("medians and spreads are those of the repetitions", () => {
    expect(medianOf(figure, "ours")).toBe(3);
    expect(medianOf(figure, "absent")).toBeUndefined();
    expect(spreadOf(figure, "ours")).toBeCloseTo(1 / 3);
  });

  it("a workload is disturbed by more than a fifth of its measurements, if it has figures that this changes", () => {
    const facts = {
      date: "",
      node: "",
      cpu: "",
      cores: 2,
      memoryGiB: 1,
      system: "",
      contestants: [],
      figures: [figure],
    };
    const steady = { ...facts, figures: [{ ...figure, isSteady: true }] };
    const measured: Summary = {
      quiet: { ...facts, guarded: 10, disturbed: 2 },
      busy: { ...facts, guarded: 10, disturbed: 3 },
      unguarded: { ...facts, guarded: 0, disturbed: 0 },
      steady: { ...steady, guarded: 10, disturbed: 10 },
    };
    expect(disturbedWorkloads(measured)).toEqual(["busy", "unguarded"]);
    const ratios = renderPage({
      busy: {
        ...facts,
        guarded: 10,
        disturbed: 3,
        figures: [{ ...figure, id: "memory", values: { ours: [2], sdk1: [6] } }],
      },
    });
    expect(ratios).toContain("~ 3.0 ×");
  });

  it("goals compare values, shares of a contestant, and shares of another figure", () => {
    const place = (id: string, better: Figure["better"], values: Figure["values"]) => {
      const contestants = [{ id: "floor", label: "floor", versions: {} }];
      return { ...figure, id, title: id, better, values, workload: "W", contestants, isDisturbed: false };
    };
    const rows = renderGoals([
      place("command-client", "lower", { ours: [2.5], floor: [0.1] }),
      place("command-create", "lower", { ours: [0.3], floor: [0.1] }),
      place("http-modern-json", "higher", { ours: [8], floor: [10] }),
      place("memory-cpu", "lower", { ours: [2] }),
      place("memory-modern-cpu", "lower", { ours: [3] }),
    ]);
    const cells = rows.split("\n").map((row) => row.split("|").map((cell) => cell.trim()));
    expect(cells.slice(2).map(([, ...row]) => row.slice(0, 4))).toEqual([
      ["command-client", "2.5 ms", "≤ 2.5", "yes"],
      ["command-create", "0.3 ms", "≤ 0.25", "no"],
      ["memory-modern-cpu", '1.5 of "memory-cpu"', "≤ 1.5", "yes"],
      ["http-modern-json", "0.8 of floor", "≥ 0.88", "no"],
    ]);
  });

  it("charts escape names, and draw bars in proportion", () => {
    const bars = [
      { kind: "own", label: "<a> & b", value: 2, text: "2 ms" },
      { kind: "peer", label: "c", value: 1, text: "1 ms" },
    ] as const;
    const svg = drawChart({ title: 'A "title"', description: "d", bars }, "dark");
    expect(svg).toContain("&lt;a&gt; &amp; b");
    expect(svg).toContain('<title id="title">A &quot;title&quot;</title>');
    const [longer = 0, shorter = 0] = [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) =>
      Number(width),
    );
    expect(longer).toBe(2 * shorter);
  });
});
