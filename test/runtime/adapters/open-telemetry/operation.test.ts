import { expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import {
  toDurationErrors,
  toErrorAttributes,
  type OperationEnd,
} from "../../../../runtime/adapters/open-telemetry/operation.ts";

const start = {
  kind: "client",
  method: "roots/list",
  params: undefined,
  revision: revisions[0],
  role: "server",
  network: undefined,
  sessionId: undefined,
} as const;

const failWith = (code: number): OperationEnd => ({ kind: "error", code, message: "" });

test.each([-32700, -32603, -32002, -32021, 403, 429, 503])("durations have the code %i of the protocol", (code) => {
  const attributes = { "error.type": String(code), "rpc.response.status_code": String(code) };
  expect(toDurationErrors(failWith(code), start)).toEqual(attributes);
});

test.each([1, -1, -32099, 2 ** 40])("durations do not have the code %i, which only its peer knows", (code) => {
  const attributes = { "error.type": "_OTHER", "rpc.response.status_code": "_OTHER" };
  expect(toDurationErrors(failWith(code), start)).toEqual(attributes);
  expect(toErrorAttributes(failWith(code), start.method)).toMatchObject({ "error.type": String(code) });
});

test("durations without a revision have the codes of JSON-RPC", () => {
  expect(toDurationErrors(failWith(-32600), { ...start, revision: undefined })).toMatchObject({
    "error.type": "-32600",
  });
});
