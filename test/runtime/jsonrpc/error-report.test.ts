import { expect, test } from "vitest";
import { createFail, deliverReport, type ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";

const report: ErrorReport = { kind: "loss", error: new Error("x") };

test("a report reaches both receivers", () => {
  const seen: unknown[] = [];
  deliverReport(report, {
    onError: (given) => void seen.push(given),
    metrics: { reported: (given) => void seen.push(given) },
  });
  expect(seen).toEqual([report, report]);
});

test("a report without receivers, or to a receiver that throws, is no error", () => {
  const onError = (): never => {
    throw new Error("from the hook");
  };
  expect(() => deliverReport(report, {})).not.toThrow();
  expect(() => deliverReport(report, { onError })).not.toThrow();
  expect(createFail(undefined)("x")).toBeUndefined();
});

test("anything that a transport throws is reported as its error", () => {
  const seen: ErrorReport[] = [];
  const fail = createFail((given) => void seen.push(given));
  const error = new Error("x");
  expect([fail(error), fail("text")]).toEqual([undefined, undefined]);
  expect(seen).toEqual([
    { kind: "transport", error },
    { kind: "transport", error: expect.objectContaining({ cause: "text" }) },
  ]);
});
