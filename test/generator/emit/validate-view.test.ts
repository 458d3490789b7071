import { describe, expect, test } from "vitest";
import { validateView } from "../../../generator/emit/views/validate.ts";
import type { Method } from "../../../generator/model.ts";
import { readToy } from "../conversions/toy-revisions.ts";

const model = readToy("2001-01-01", "export interface Params { a: 1 }");

/** The method of the model with other parts, and the checks of its params and results. */
function checksOf(change: (method: Method) => Method): {
  readonly params: string;
  readonly result: string;
  readonly own: readonly string[];
} {
  const methods = model.methods.map(change);
  const { callees, functions } = validateView({ ...model, methods });
  const [method] = methods;
  if (!method) return expect.unreachable("The model has a method");
  const own = functions.slice(model.declarations.length).map(({ doc, export: mark, name, text }) => {
    const body = text.replaceAll(/\n +/g, "\n");
    return `${doc}${mark}function ${name}${body}`;
  });
  return { params: callees.params(method), result: callees.result(method), own };
}

describe("checks of a method", () => {
  test("declared params and results have the checks of their declarations", () => {
    expect(checksOf((method) => method)).toEqual({ params: "checkParams", result: "checkDoResult", own: [] });
  });

  test("a method that declares neither accepts any object and any result", () => {
    const checks = checksOf(({ params: _params, result: _result, ...method }) => ({
      ...method,
      type: "RequestOutcomeRequest",
    }));
    expect(checks).toEqual({
      params: "checkRequestOutcomeRequestParams",
      result: "checkRequestOutcomeOutcome",
      own: [
        `/** Checks params that their type writes inline. */
export function checkRequestOutcomeRequestParams(v: unknown): Issue | undefined {
return !isObject(v) ? fail("object") : undefined;
}`,
        `/** Checks any result that \`RequestOutcomeRequest\` may have. */
export function checkRequestOutcomeOutcome(v: unknown): Issue | undefined {
return v === undefined ? fail("any value") : undefined;
}`,
      ],
    });
  });

  const alternatives = [
    { type: "Later", whenParam: "later", mark: "later" },
    { type: "Never", whenParam: "never", mark: "io/never" },
  ];

  test("other results are checked where their mark is present", () => {
    expect(checksOf((method) => ({ ...method, alternatives }))).toEqual({
      params: "checkParams",
      result: "checkDoOutcome",
      own: [
        `/** Checks any result that \`DoRequest\` may have. */
export function checkDoOutcome(v: unknown): Issue | undefined {
const issue = checkDoResult(v);
if (issue === undefined) return undefined;
if (isObject(v) && v.later !== undefined) return checkLater(v);
if (isObject(v) && v["io/never"] !== undefined) return checkNever(v);
return issue;
}`,
      ],
    });
  });

  test("the check of all results calls those of each", () => {
    const methods = model.methods.map((method) => ({ ...method, alternatives }));
    const { functions, support } = validateView({ ...model, methods });
    expect(functions.at(-1)).toMatchObject({
      calls: ["checkDoResult", "checkLater", "checkNever"],
      support: ["isObject"],
    });
    expect(support).toBe("fail, isObject, under");
  });

  test("several plain results beside others have a check of their own", () => {
    const of = ["DoResult", "Params"].map((name) => ({ kind: "reference" as const, name }));
    const { result, own } = checksOf((method) => ({ ...method, result: { kind: "union", of }, alternatives }));
    expect(result).toBe("checkDoOutcome");
    expect(own.map((text) => text.match(/function \w+/)?.[0])).toEqual([
      "function checkDoPlainOutcome",
      "function checkDoOutcome",
    ]);
    expect(own[1]).toContain("const issue = checkDoPlainOutcome(v);");
  });

  test("a method of another model has no checks", () => {
    const { callees } = validateView(model);
    const [method] = model.methods;
    if (!method) return expect.unreachable("The model has a method");
    expect(() => callees.params({ ...method, type: "OtherRequest" })).toThrow("No check was written for OtherRequest");
  });
});
