import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";

/* The files of .github: they are only run elsewhere, so what can be checked here is. */

interface Workflow {
  readonly permissions?: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly permissions?: unknown;
        readonly environment?: string;
        readonly strategy?: { readonly matrix: Readonly<Record<string, string[]>> };
        readonly steps: readonly object[];
      }
    >
  >;
}

const folder = ".github";
const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".yml"));
const workflows = paths.filter((path) => path.startsWith("workflows"));
const publish = join("workflows", "publish.yml");
const manifest = JSON.parse(readFileSync("package.json", "utf8"));

describe.each(paths)("%s", (path) => {
  it("the file is valid YAML", () => {
    const { errors, warnings } = parseDocument(read(path), { uniqueKeys: true });
    expect([...errors, ...warnings]).toEqual([]);
  });
});

describe.each(workflows)("%s", (path) => {
  it("the workflow pins every action by the hash of a commit, and names its version", () => {
    const actions = read(path).match(/uses: .*/g) ?? [];
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.filter((line) => !/^uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it("the workflow may only read the repository", () => {
    expect(parse(path).permissions).toEqual({ contents: "read" });
  });

  it("the workflow runs scripts that package.json has", () => {
    const scripts = [...read(path).matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name);
    const fromMatrix = Object.values(parse(path).jobs).flatMap(({ strategy }) => strategy?.matrix.script ?? []);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining([...scripts, ...fromMatrix]));
  });
});

it("no workflow but the one that publishes has further permissions or secrets", () => {
  const permitted = workflows.filter((path) => Object.values(parse(path).jobs).some(({ permissions }) => permissions));
  expect(permitted).toEqual([publish]);
  expect(workflows.filter((path) => read(path).includes("secrets."))).toEqual([]);
});

it("both packages are published with provenance, the runtime first, in an environment of their own", () => {
  const jobs = Object.values(parse(publish).jobs);
  expect(jobs).toHaveLength(1);
  expect(jobs[0]).toMatchObject({ environment: "npm", permissions: { contents: "read", "id-token": "write" } });
  expect(read(publish).match(/(?<=run: npm publish ).*/g)).toEqual([
    "./dist/runtime-package --provenance --access public",
    "--provenance --access public --ignore-scripts",
  ]);
  expect(parseDocument(read(publish)).toJS().on).toEqual({ push: { tags: ["v*"] } });
  // Provenance names a repository, which has to be that of the manifest.
  expect(manifest.repository.url).toMatch(/^git\+https:\/\/github\.com\//);
});

describe("labels", () => {
  const labels: readonly { readonly name: string; readonly color: string; readonly description: string }[] =
    parseDocument(read("labels.yml")).toJS();
  const names = labels.map(({ name }) => name);

  it("the labels are those of a tier 1 SDK", () => {
    const priorities = ["P0", "P1", "P2", "P3"];
    const states = ["needs confirmation", "needs repro", "ready for work", "good first issue", "help wanted"];
    expect(names).toEqual(["bug", "enhancement", "question", ...states, ...priorities]);
    expect(labels.filter(({ color, description }) => !/^[\da-f]{6}$/.test(color) || description === "")).toEqual([]);
  });

  it("the forms of issues use labels that exist", () => {
    const used = paths
      .filter((path) => path.startsWith("ISSUE_TEMPLATE"))
      .flatMap((path): string[] => parseDocument(read(path)).toJS().labels ?? []);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => !names.includes(name))).toEqual([]);
  });
});

it("CI runs the oldest Node.js that the package supports", () => {
  const [oldest] = parse("workflows/ci.yml").jobs.check?.strategy?.matrix.node ?? [];
  expect(manifest.engines.node).toMatch(new RegExp(`^>=${oldest}\\.`));
});

it("the weekly workflow reads every version of upstream's schemas", () => {
  const steps = parse("workflows/weekly.yml").jobs.upstream?.steps ?? [];
  expect(steps).toContainEqual(expect.objectContaining({ with: expect.objectContaining({ "fetch-depth": 0 }) }));
  expect(steps).toContainEqual(expect.objectContaining({ env: { MCP_UPSTREAM_REPOSITORY: expect.anything() } }));
});

function parse(path: string): Workflow {
  return parseDocument(read(path)).toJS();
}

function read(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}
