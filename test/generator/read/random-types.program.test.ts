import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SpecError } from "../../../generator/internal/spec-error.ts";
import type { RevisionModel } from "../../../generator/model.ts";
import { compileChecks } from "../../oracle/compiled-checks.ts";
import { mutate } from "../../oracle/mutations.ts";
import { createRandom, type Random } from "../../kit/random.ts";
import { createValueMaker } from "../../oracle/values.ts";
import { createTemporaryFolder } from "../../kit/temporary-folders.ts";
import { compile, modulePackage } from "../../kit/compile.ts";
import { readToy } from "../conversions/toy-revisions.ts";
import { declared, makeType } from "./random-types.ts";

/** Values of a random type, valid ones and others, each with the result of its check. */
interface Sample {
  readonly type: string;
  readonly values: readonly { readonly value: unknown; readonly isValid: boolean }[];
}

/** Problems of rightly rejected types: only a compiler can decide a condition, or no value has the type. */
const rejected = /cannot be compared|inherits two contradicting types/;

/** Draws a readable type. */
function readType(random: Random): { readonly type: string; readonly model: RevisionModel } {
  const type = makeType(random, 3);
  try {
    return {
      type,
      model: readToy("2001-01-01", `${declared}export interface A { q: ${type} }\nexport interface Params { x: 1 }`),
    };
  } catch (error) {
    if (error instanceof SpecError && rejected.test(error.message)) return readType(random);
    throw error;
  }
}

async function makeSample(seed: number): Promise<Sample> {
  const random = createRandom(seed);
  const { type, model } = readType(random);
  const check = (await compileChecks(model)).checks.get("A");
  const make = createValueMaker(model, random);
  const drawn = Array.from({ length: 12 }, () => make("A")).flatMap((value) => [value, mutate(value, random).value]);
  // As a message carries them. The compiler compares keys of every object with their inherited types, and `__proto__` is no key in code.
  const texts = drawn.map((value) => JSON.stringify(value) ?? "null");
  const values = texts.filter((text) => !/"(?:__proto__|constructor|hasOwnProperty|toString|valueOf)"/.test(text));
  return {
    type,
    values: values.map((text) => {
      const value: unknown = JSON.parse(text);
      return { value, isValid: check?.(value) === undefined };
    }),
  };
}

/** Line of the compiler about a file: its name, the line, the code and the message. */
const problemLine = /sample(\d+)\.ts\((\d+),\d+\): error (TS\d+): (.*)/;

/** Errors about members outside of a type. A message may have them. */
const ignored: ReadonlySet<string> = new Set(["TS2353", "TS2559", "TS2561"]);

const folder = await createTemporaryFolder("random-types");

test("checks of random types accept what the compiler accepts", async () => {
  const samples = await Promise.all(Array.from({ length: 100 }, (_, seed) => makeSample(seed)));
  const head = (type: string): string => `${declared.replaceAll("\n", " ")}export interface A { q: ${type} }\n`;
  await writeFile(join(folder, "package.json"), modulePackage);
  for (const [at, { type, values }] of samples.entries()) {
    const lines = values.map(({ value }, place) => `export const v${place}: A = ${JSON.stringify(value)};\n`);
    await writeFile(join(folder, `sample${at}.ts`), head(type) + lines.join(""));
  }
  const settings = { erasableSyntaxOnly: false, exactOptionalPropertyTypes: false, noUnusedLocals: false };
  const output = await compile("typescript7", { folder, files: [join(folder, "*.ts")], settings });
  const found = new Map(output.flatMap((line) => readProblem(line)));
  const differences = samples.flatMap(({ type, values }, at) =>
    values.flatMap(({ value, isValid }, place) => {
      const problem = found.get(`${at}:${place + 2}`);
      const isSkipped = problem !== undefined && ignored.has(problem.code);
      if (isSkipped || isValid === (problem === undefined)) return [];
      return [`${type}: ${JSON.stringify(value)} is ${isValid ? "accepted" : "rejected"}; ${problem?.text ?? ""}`];
    }),
  );
  expect(differences).toEqual([]);
  expect([...found.keys()].filter((key) => key.endsWith(":1"))).toEqual([]);
  // Both verdicts must occur often enough for the comparison to mean something.
  expect(found.size).toBeGreaterThan(250);
});

function readProblem(line: string): readonly (readonly [string, { readonly code: string; readonly text: string }])[] {
  const [, sample, at, code = "", text = ""] = problemLine.exec(line) ?? [];
  return sample === undefined ? [] : [[`${sample}:${at}`, { code, text }]];
}
