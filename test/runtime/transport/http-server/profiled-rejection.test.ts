import { expect, test } from "vitest";
import { toErrorStatus } from "../../../../runtime/transport/http-server/profiled-rejection.ts";

test.each<[what: string, data: unknown, headers: object]>([
  ["without data", undefined, {}],
  ["with a time", { retryAfter: 1.2 }, { "retry-after": "2" }],
  ["with a time that is over", { retryAfter: 0 }, { "retry-after": "0" }],
  ["with a time in the past", { retryAfter: -1 }, {}],
  ["with a time that does not end", { retryAfter: Infinity }, {}],
  ["with a text", { retryAfter: "1" }, {}],
])("an error %s has the status of the profile, and a time that HTTP can name", (_what, data, headers) => {
  const error = { code: -32000, message: "no", data };
  expect(toErrorStatus(error, { toHttpStatus: () => 429 })).toEqual({ status: 429, headers });
  expect(toErrorStatus(error, { toHttpStatus: () => undefined })).toBeUndefined();
  expect(toErrorStatus(error, undefined)).toBeUndefined();
});
