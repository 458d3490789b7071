import { describe, expect, test } from "vitest";
import { createAjvValidator } from "../../../runtime/adapters/ajv.ts";
import { createCfworkerValidator } from "../../../runtime/adapters/cfworker.ts";
import { isLinearPattern } from "../../../runtime/adapters/linear-pattern.ts";
import { compileRe2 } from "../../../runtime/adapters/re2.ts";
import { compilePattern, type PatternOptions } from "../../../runtime/adapters/schema-patterns.ts";
import { toUnicodePattern } from "../../../runtime/adapters/unicode-pattern.ts";
import type { JsonSchemaValidator, ObjectSchema } from "../../../runtime/protocol/methods/schema-issue.ts";
import { createPatternSource, slowPatterns } from "./generated-patterns.ts";

describe("the proof of linear time", () => {
  test.each([
    ...[
      "^[a-z]+$",
      "^[a-z]+(?:-[a-z]+)*$",
      "^\\d{4}-\\d{2}-\\d{2}$",
      "^v?\\d+(\\.\\d+)*$",
      "^(?:AL|AK|AZ|WY)$",
      "\\.json$",
    ],
    ...["^https?://[^/]+/", "^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "^$", "", "[A-Z]", "\\S+", "^.{1,500}$"],
    ...["^(?:AL|AK)-\\d+$", "^#[0-9a-fA-F]{6}$", "^\\p{Lu}\\p{Ll}*$", "^[^\\n]*$", "^(?:a|ab)(?:c|bcd)*d*$"],
  ])("the proof of linear time succeeds for %s", (pattern) => {
    expect(isLinearPattern(pattern)).toBe(true);
  });

  test.each([...slowPatterns, "(?=a)b", "(a)\\1", "(", "^\\p{L}*é*$", "a".repeat(3_000), "^[^@]+@[^@]+\\.[^@]+$"])(
    "the proof of linear time fails for %s",
    (pattern) => {
      expect(isLinearPattern(pattern)).toBe(false);
    },
  );
});

describe("patterns without the flag u", () => {
  test.each([
    ["^\\d{3}\\-\\d+$", "^\\d{3}-\\d+$"],
    ["^[\\w-.]+\\@[\\w.-]+$", "^[\\w\\-.]+@[\\w.-]+$"],
    ["^[\\w\\@\\-#]+$", "^[\\w@\\-#]+$"],
    ['^\\"x\\"\\ \\_$', '^"x" _$'],
    ["^[.-\\d]$", "^[.\\-\\d]$"],
    ["^{{.*}}$", "^\\{\\{.*\\}\\}$"],
    ["^a]$", "^a\\]$"],
    ["^\\p{Lu}\\-$", "^\\p{Lu}-$"],
  ])("%s is read as %s", (pattern, expected) => {
    expect(toUnicodePattern(pattern)).toBe(expected);
  });

  test.each(["^a\\Z", "\\1", "^a{,5}$", "(?=a)*b", "[\\d-x-z]"])("%s has no clear meaning", (pattern) => {
    expect(toUnicodePattern(pattern)).toBeUndefined();
    expect(compilePattern(pattern, { patterns: "native" })).toBeUndefined();
  });

  test("patterns that are read with the flag match the same texts", () => {
    const parts = [
      "\\-",
      "\\@",
      "[\\w-.]",
      "[a\\@-]",
      "[^\\s-x\\-\\d]",
      "[+-\\d]",
      "]",
      "{",
      "}",
      "{2}",
      "a",
      "(b)",
      "|",
      "\\\\",
    ];
    const texts = ["", "-", "@", "a-", "aa", "b]", "{b}", "a.", "+", "5", "x", " ", "\\", "]]", "--", "{{", "@@"];
    const pairs = parts.flatMap((one) => parts.flatMap((two) => parts.map((three) => `${one}${two}${three}`)));
    const different = pairs.filter((pattern) => {
      const [native, unicode] = [compileNative(pattern), compileNative(pattern) && toUnicodePattern(pattern)];
      if (!native || unicode === undefined) return false;
      return texts.some((text) => native.test(text) !== new RegExp(unicode, "u").test(text));
    });
    expect(different).toEqual([]);
  });

  function compileNative(pattern: string): RegExp | undefined {
    try {
      return new RegExp(pattern, "");
    } catch {
      return undefined;
    }
  }
});

describe("re2", () => {
  test("re2 matches the same texts as the platform", () => {
    const { pattern: next } = createPatternSource(7, "small");
    const texts = [
      "",
      "a",
      "ab",
      "aab",
      "b",
      "a-b",
      "1",
      "aé",
      "😀a",
      "\n",
      "a\n",
      "a@b.c",
      " ",
      "\u2028",
      "\u00a0",
      "É",
    ];
    const different = Array.from({ length: 2_000 }, next).flatMap((pattern) => {
      const compiled = compileRe2(pattern);
      const native = new RegExp(pattern, "u");
      return texts
        .filter((text) => compiled && compiled.test(text) !== native.test(text))
        .map((text) => [pattern, text]);
    });
    expect(different).toEqual([]);
  });

  test.each([
    ["[\\b\\t\\x41\\cA\\0\\-\\]]", ["\b", "\t", "A", "\x01", "\0", "-", "]"], ["b", "\\"]],
    ["^\\ud83d\\ude00$", ["😀"], ["\ud83d"]],
    ["^(?<name>a|b)$", ["a", "b"], ["ab"]],
    ["[]", [], ["", "a"]],
    ["^[^]$", ["\n", "a"], [""]],
    ["^\\D\\W\\S$", ["a-b"], ["1-b", "aab"]],
    ["^[^\\W_]$", ["a"], ["_", "-"]],
    ["^\\s$", ["\u00a0", "\v", "\ufeff"], ["a"]],
    ["^a.c$", ["abc"], ["a\rc", "a\u2029c"]],
    ["^[a-]$", ["a", "-"], ["b"]],
    ["a{2}{", [], []],
    ["^(ab){0}c$", ["c"], ["abc"]],
  ])("re2 reads %s as the platform does", (pattern, fitting, others) => {
    const compiled = compileRe2(pattern);
    expect(fitting.filter((text) => compiled?.test(text) !== true)).toEqual([]);
    expect(others.filter((text) => compiled?.test(text) !== false)).toEqual([]);
  });

  test.each([
    "(?=a)",
    "(?<!a)b",
    "(a)\\1",
    "(?<n>a)\\k<n>",
    "\\p{Script=Greek}",
    "((a{100}){100}){100}",
    "a{5000}",
    "(a{2000}){0}(b+)+$",
    "[",
  ])("re2 rejects %s", (pattern) => {
    expect(compileRe2(pattern)).toBeUndefined();
  });
});

describe("patterns and the event loop", () => {
  /** Patterns that seem to hang: a bound of 50 s, far above the aim of 50 ms, so that no machine reaches it. */
  function findSlow(patterns: readonly string[], texts: readonly string[]): string[] {
    return patterns.filter((pattern, at) => {
      const started = performance.now();
      const compiled = compilePattern(pattern, { patterns: compileRe2 });
      const limit = compileRe2(pattern)?.maxLength ?? 0;
      const text = texts[at % texts.length] ?? "";
      for (const one of [text.slice(0, limit), text]) {
        try {
          compiled?.test(one);
        } catch (error) {
          expect(String(error)).toContain("is too long for the pattern");
        }
      }
      return performance.now() - started > 50_000;
    });
  }

  test("generated patterns do not block the event loop, in 4,000 samples", () => {
    const { pattern, text } = createPatternSource(1, "all");
    const texts = Array.from({ length: 12 }, () => text(8 * 1024));
    expect(findSlow(Array.from({ length: 4_000 }, pattern), texts)).toEqual([]);
  });

  test("patterns that are known to be slow do not block the event loop", () => {
    const { text } = createPatternSource(2, "all");
    for (let round = 0; round < 5; round++) expect(findSlow(slowPatterns, [text(64 * 1024)])).toEqual([]);
  });
});

const makers: readonly (readonly [string, (options?: PatternOptions) => JsonSchemaValidator])[] = [
  ["ajv", createAjvValidator],
  ["cfworker", createCfworkerValidator],
];

const slow = "^(a+)+$";

function object(properties: object, rest: object = {}): ObjectSchema {
  return { type: "object", properties, ...rest };
}

describe.each(makers)("the validator of %s", (_name, make) => {
  const silent = (unenforced: string[] = []): PatternOptions => ({ onUnenforced: (one) => void unenforced.push(one) });

  test("a validator reports a pattern that could be slow, and does not enforce it", () => {
    const unenforced: string[] = [];
    const validate = make(silent(unenforced));
    const schema = object({ a: { pattern: slow }, b: { pattern: "^b+$" } });
    expect(validate({ a: `${"a".repeat(60_000)}!`, b: "b" }, schema)).toEqual([]);
    expect(validate({ b: "c" }, schema)).toHaveLength(1);
    expect(unenforced).toEqual([slow]);
  });

  test("a validator enforces a slow pattern with a linear-time engine", () => {
    const unenforced: string[] = [];
    const validate = make({ ...silent(unenforced), patterns: compileRe2 });
    const schema = object({ a: { pattern: slow, allOf: [{ minLength: 2 }] } });
    expect(validate({ a: "aa" }, schema)).toEqual([]);
    expect(validate({ a: 1 }, schema)).toEqual([]);
    expect(validate({ a: `${"a".repeat(2_000)}!` }, schema)).toMatchObject([{ path: ["a"], message: /match pattern/ }]);
    expect(validate({ a: "a" }, schema)).toHaveLength(1);
    expect(unenforced).toEqual([]);
  });

  test("a validator rejects a text that is too long for the engine, also where a pattern must not match", () => {
    const validate = make({ patterns: compileRe2 });
    const schema = object({ a: { not: { pattern: slow } } });
    expect(validate({ a: "a!" }, schema)).toEqual([]);
    expect(validate({ a: "a".repeat(60_000) }, schema)).toMatchObject([{ message: /too long for the pattern/ }]);
  });

  test("a validator rejects a text that is too long for the platform's engine", () => {
    const schema = object({ a: { pattern: "^(?:[^,]|,)*$" } });
    expect(make()({ a: "x".repeat(32 * 1024 * 1024) }, schema)).toMatchObject([
      { message: /too long for the pattern/ },
    ]);
    expect(make()({ a: "x" }, schema)).toEqual([]);
  });

  test("a validator runs every pattern on the platform when the schemas are trusted", () => {
    const validate = make({ patterns: "native" });
    const schema = object({ a: { pattern: "^(?=.*\\d).{3,}$" } });
    expect(validate({ a: "ab1" }, schema)).toEqual([]);
    expect(validate({ a: "abc" }, schema)).toHaveLength(1);
  });

  test.each<readonly [string, object, unknown]>([
    ["not", { not: { pattern: slow } }, "!"],
    ["not with a reference", { not: { $ref: "#/$defs/slow" } }, "!"],
    ["oneOf", { oneOf: [{ pattern: slow }, { const: "!" }] }, "!"],
    ["if and else", { if: { pattern: slow }, then: false }, "!"],
    ["if and then", { if: { not: { pattern: slow } }, then: { minLength: 1 }, else: false }, "!"],
    ["maxContains", { contains: { pattern: slow }, minContains: 1, maxContains: 1 }, ["a", "!"]],
    [
      "the keys of an object",
      { patternProperties: { [slow]: { type: "string" } }, additionalProperties: false },
      { a: "" },
    ],
    ["values by key", { patternProperties: { [slow]: { type: "string" } } }, { b: 1 }],
    [
      "unevaluated members",
      { if: { properties: { b: { pattern: slow } } }, then: { properties: { c: {} } }, unevaluatedProperties: false },
      { b: "a", c: 1 },
    ],
  ])("a validator accepts more, never less, when a pattern is not enforced within %s", (_case, inner, value) => {
    const schema = object({ a: inner }, { $defs: { slow: { pattern: slow } } });
    expect(make({ patterns: "native" })({ a: value }, schema)).toEqual([]);
    expect(make(silent())({ a: value }, schema)).toEqual([]);
  });

  test("a validator finds patterns of properties whose names are keywords", () => {
    const unenforced: string[] = [];
    const schema = object({ default: { pattern: slow }, pattern: { properties: { enum: { pattern: "(?!a)b" } } } });
    expect(make(silent(unenforced))({ default: "!", pattern: { enum: "c" } }, schema)).toEqual([]);
    expect(unenforced.sort()).toEqual(["(?!a)b", slow]);
  });

  test("a validator enforces patterns that are valid without the flag u only, as far as their meaning is clear", () => {
    const unenforced: string[] = [];
    const validate = make(silent(unenforced));
    const keys = { "^x\\-": { type: "number" }, "^x-": { minimum: 3 }, "\\_\\Z": false };
    const schema = object(
      { a: { pattern: "^\\d{3}\\-\\d+$" }, b: { pattern: "\\Z" } },
      { patternProperties: keys, additionalProperties: true },
    );
    expect(validate({ a: "123-4", b: "?", "x-": 3, _Z: 1 }, schema)).toEqual([]);
    expect(validate({ a: "1234" }, schema)).toMatchObject([{ path: ["a"] }]);
    expect(validate({ "x-": "3" }, schema)).toMatchObject([{ path: ["x-"] }]);
    expect(validate({ "x-": 1 }, schema)).toMatchObject([{ path: ["x-"] }]);
    expect(unenforced.sort()).toEqual(["\\Z", "\\_\\Z"]);
  });

  test("a validator throws for a schema whose pattern is no regular expression", () => {
    expect(() => make(silent())({}, object({ a: { pattern: "(" } }))).toThrow(/invalid/);
  });

  test("a validator reports an unpaired surrogate in a name", () => {
    const validate = make();
    const schema = object({}, { additionalProperties: { type: "number" } });
    expect(validate({ "\ud800": "x" }, schema)).toMatchObject([{ message: expect.stringMatching(/./) }]);
    expect(() => validate({ a: 1 }, object({ "\ud800": { type: "number" } }))).not.toThrow(URIError);
  });
});

test("a pattern that is not enforced is a warning on the console, without characters that act on a terminal", () => {
  const lines: unknown[] = [];
  const original = console.warn;
  console.warn = (line: unknown) => void lines.push(line);
  try {
    createAjvValidator()({}, object({ a: { pattern: "(a+)+\u001b\u202e$" } }));
  } finally {
    console.warn = original;
  }
  expect(lines).toEqual([
    expect.stringMatching(/^The pattern "[\x20-\x7e]+" of the JSON Schema is not enforced; pass/),
  ]);
});

test("cfworker enforces a format beside a pattern and a length", () => {
  const validate = createCfworkerValidator({ formats: true });
  const schema = object({ a: { format: "date", pattern: "^2", maxLength: 10 } });
  const messageOf = (a: string): unknown => validate({ a }, schema)[0]?.message;
  expect(["2000-01-01", "1999-01-01", "2", "2".repeat(11)].map(messageOf)).toEqual([
    undefined,
    "String does not match pattern.",
    'String does not match format "date".',
    expect.any(String),
  ]);
  expect(validate({ a: 1 }, schema)).toEqual([]);
});
