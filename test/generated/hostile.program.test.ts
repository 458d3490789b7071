import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findRecursive } from "../../generator/model/resolve.ts";
import { isObject, maxDepth, type Check } from "../../templates/support.ts";
import { toJavaScript } from "../oracle/compiled-checks.ts";
import { createRandom } from "../kit/random.ts";
import { readDeclared } from "../oracle/revisions.ts";
import { createValueMaker } from "../oracle/values.ts";

const generated = join(import.meta.dirname, "../../generated");
const revisions = readdirSync(generated, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && /^\d/.test(entry.name))
  .map(({ name }) => name);

/** Far more than any call stack holds. */
const abyss = 200_000;

/** Valid values made for each declaration. */
const valuesEach = 6;

it("revisions were generated", () => {
  expect(revisions).not.toEqual([]);
});

describe.each(revisions)("checks of %s", (revision) => {
  const schema = readDeclared(revision);
  const names = schema.declarations.map(({ name }) => name);
  const recursive = findRecursive(schema);
  const reading = readSubjects(revision);

  it("checks exist for every declaration, and accept values made from it", async () => {
    const subjects = await reading;
    expect(subjects.map(({ name }) => name)).toEqual(names);
    expect(subjects.filter(({ values }) => values.length === 0)).toEqual([]);
  });

  it.each(["[", '{"a":'] as const)(
    "checks end at 200,000 levels of %s without overflow, and reject them where types recurse",
    async (open) => {
      const deep = nested(open, abyss);
      const subjects = await reading;
      const recursing = subjects.filter(({ name }) => recursive.has(name));
      expect(recursing.map(({ name, check }) => [name, typeof check(deep)])).toEqual(
        recursing.map(({ name }) => [name, "object"]),
      );
      for (const { check, values } of subjects) {
        check(deep);
        for (const value of values) for (const mutant of replaceEach(value, () => deep)) check(mutant);
      }
    },
  );

  it("checks accept nesting within the limit where types recurse", async () => {
    const subjects = await reading;
    const values = { array: nested("[", maxDepth / 2), object: nested('{"a":', maxDepth / 2) };
    const accepted = subjects
      .filter(({ name }) => recursive.has(name))
      .map(({ check }) => !check(values.array) || !check(values.object));
    expect(accepted).toEqual(accepted.map(() => true));
  });

  it("checks treat `__proto__` as a key like any other: nothing is inherited through it and no prototype changes", async () => {
    for (const { name, check, values } of await reading) {
      for (const value of values.filter(isObject)) {
        const disguised = Object.fromEntries([["__proto__", value]]);
        if (check({})) expect(check(disguised), name).toBeDefined();
        check(Object.fromEntries([...Object.entries(value), ["__proto__", { polluted: true }]]));
        check(Object.fromEntries([...Object.entries(value), ["constructor", { prototype: { polluted: true } }]]));
      }
    }
    expect(Reflect.has({}, "polluted")).toBe(false);
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain("polluted");
  });

  it("checks reject Infinity and NaN wherever a number is checked", async () => {
    const accepted: string[] = [];
    let places = 0;
    for (const { name, check, values } of await reading) {
      for (const value of values) {
        for (const [number, ...endless] of placesOfNumbers(value, check)) {
          places += 1;
          accepted.push(...endless.filter((mutant) => !check(mutant)).map(() => `${name} ${JSON.stringify(number)}`));
        }
      }
    }
    expect(accepted).toEqual([]);
    expect(places).toBeGreaterThan(50);
  });
});

describe("generated modules", () => {
  it("generated modules load and check hostile values where code generation is disabled", () => {
    const folder = mkdtempSync(join(tmpdir(), "generated-"));
    try {
      translate(folder);
      const script = join(folder, "probe.js");
      writeFileSync(script, probe);
      const output = execFileSync(process.execPath, ["--disallow-code-generation-from-strings", script, ...revisions], {
        encoding: "utf8",
      });
      expect(JSON.parse(output)).toEqual(
        revisions.map((revision) => ({ revision, checks: expect.any(Number), overflows: [] })),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Runs in a child process, next to the translated modules. */
const probe = `
import { strict as assert } from "node:assert";
assert.throws(() => new Function("return 1"), EvalError);
const deep = (open, close) => JSON.parse(open.repeat(${abyss}) + "1" + close.repeat(${abyss}));
const values = [null, 1, [], {}, deep("[", "]"), deep('{"a":', "}"), JSON.parse('{"__proto__":{"polluted":true}}'), Infinity];
const results = [];
for (const revision of process.argv.slice(2)) {
  const overflows = [];
  await import("./" + revision + "/index.js");
  const module = await import("./" + revision + "/validate.js");
  const checks = Object.entries(module).filter(([name]) => name.startsWith("check"));
  for (const [name, check] of checks) {
    try {
      for (const value of values) check(value);
    } catch {
      overflows.push(name);
    }
  }
  results.push({ revision, checks: checks.length, overflows });
}
assert.equal({}.polluted, undefined);
console.log(JSON.stringify(results));
`;

/** The check of a declaration with values that it accepts. */
interface Subject {
  readonly name: string;
  readonly check: Check;
  readonly values: readonly unknown[];
}

async function readSubjects(revision: string): Promise<Subject[]> {
  const module: Record<string, unknown> = await import(join(generated, revision, "validate.ts"));
  const schema = readDeclared(revision);
  const make = createValueMaker(schema, createRandom(1));
  return schema.declarations.flatMap(({ name }) => {
    const check = module[`check${name}`];
    if (!isCheck(check)) return [];
    const made = Array.from({ length: 60 }, () => make(name));
    return [{ name, check, values: made.filter((value) => !check(value)).slice(0, valuesEach) }];
  });
}

function isCheck(value: unknown): value is Check {
  return typeof value === "function";
}

function nested(open: "[" | '{"a":', depth: number): unknown {
  const close = open === "[" ? "]" : "}";
  const value: unknown = JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`);
  return value;
}

/** For every number in a value whose place is checked at all: the value with that number, and with each endless one instead. */
function placesOfNumbers(value: unknown, check: Check): unknown[][] {
  const isNumber = (leaf: unknown): boolean => typeof leaf === "number";
  const probes = replaceEach(value, () => () => 0, isNumber);
  const variants = [Infinity, -Infinity, NaN].map((endless) => replaceEach(value, () => endless, isNumber));
  return probes.flatMap((unlikely, at) =>
    check(unlikely) ? [[value, ...variants.map((variant) => variant[at])]] : [],
  );
}

/** One copy of a value for each of its places, with that place replaced. */
function replaceEach(
  value: unknown,
  replace: (part: unknown) => unknown,
  isWanted = (_: unknown): boolean => true,
): unknown[] {
  const whole = isWanted(value) ? [replace(value)] : [];
  if (Array.isArray(value)) {
    return [
      ...whole,
      ...value.flatMap((item, at) => replaceEach(item, replace, isWanted).map((part) => value.with(at, part))),
    ];
  }
  if (!isObject(value)) return whole;
  const inside = Object.keys(value).flatMap((key) =>
    replaceEach(value[key], replace, isWanted).map((part) => ({ ...value, [key]: part })),
  );
  return [...whole, ...inside];
}

/** Writes every generated module as JavaScript into a folder. */
function translate(folder: string): void {
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
  for (const path of readdirSync(generated, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  )) {
    const target = join(folder, path.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, toJavaScript(readFileSync(join(generated, path), "utf8")));
  }
}
