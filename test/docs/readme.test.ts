import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/* The README fits on a few screens, and each number in it is that of the page it links to. */

const readme = readFileSync("README.md", "utf8");
const table = readme
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const [, , ...rows] = table;

/** Returns the cells of a row of the comparison. */
function rowOf(name: string): readonly string[] {
  return rows.find(([title]) => title?.startsWith(name)) ?? [];
}

describe("the README", () => {
  it("the README has at most 120 lines and 9,000 bytes", () => {
    expect(readme.split("\n").length).toBeLessThanOrEqual(120);
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(9_000);
  });

  it("the comparison has five to seven rows, each with a page that proves it", () => {
    expect(rows.length).toBeGreaterThanOrEqual(5);
    expect(rows.length).toBeLessThanOrEqual(7);
    expect(rows.filter(([, ours = ""]) => !/\]\(docs\/[\w-]+\.md(#[\w-]+)?\)$/.test(ours))).toEqual([]);
    expect(rows.flat().filter((cell) => cell === "")).toEqual([]);
  });

  it("the rows of the comparison are sections of docs/comparison.md", () => {
    const page = readFileSync("docs/comparison.md", "utf8");
    expect(page.match(/^## .+/gm)?.length).toBeGreaterThan(rows.length);
  });

  it("the comparison counts the released revisions", () => {
    const { revisions }: { readonly revisions: object } = JSON.parse(readFileSync("spec/pins.json", "utf8"));
    const words = ["no", "one", "two", "three", "four", "five", "six", "seven"];
    expect(rowOf("Revisions")[1]).toContain(`[${words[Object.keys(revisions).length]}, each exactly]`);
  });

  it("the comparison has the results of the conformance suite", () => {
    const [, passed, all] = /\*\*(\d+) of (\d+) scenarios pass/.exec(readFileSync("docs/conformance.md", "utf8")) ?? [];
    expect(rowOf("Official conformance suite")[1]).toContain(`[${passed} of ${all} scenarios]`);
  });

  it("the comparison has the numbers of the benchmarks", () => {
    const chart = /alt="Server over stdio, 256 calls in flight \(more is better\)\. (.*?)"/.exec(
      readFileSync("docs/benchmarks.md", "utf8"),
    )?.[1];
    const rates = new Map(
      [...(chart ?? "").matchAll(/(?<=^|; )(.+?): ([\d,]+) calls\/s/g)].map(([, id, n]) => [id, n]),
    );
    const [, ours, sdk, fastmcp] = rowOf("Tool calls per second");
    expect(ours).toContain(`[${rates.get("create-mcp-server")}]`);
    expect([sdk, fastmcp]).toEqual([rates.get("MCP TypeScript SDK v2"), rates.get("fastmcp")]);
  });
});

describe("the changelog", () => {
  const changelog = readFileSync("CHANGELOG.md", "utf8");
  const { version }: { readonly version: string } = JSON.parse(readFileSync("package.json", "utf8"));

  it("the newest entry is the version of the package", () => {
    expect(/^## (\S+?)[,\s]/m.exec(changelog)?.[1]).toBe(version);
  });

  it("the entry of the first release has at most 8,000 bytes", () => {
    expect(Buffer.byteLength(changelog.slice(changelog.indexOf("## 0.1.0")))).toBeLessThanOrEqual(8_000);
  });
});
