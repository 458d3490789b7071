import { expect, test } from "vitest";
import { firstInputRequests } from "../../../runtime/protocol/methods/input-request-limit.ts";

test.each([
  [0, 0],
  [100, 100],
  [101, 100],
])("of %d input requests, the first %d are sent", (length, sent) => {
  const requests = Array.from({ length }, (_, index) => [`r${index}`, { method: "roots/list" }] as const);
  expect(firstInputRequests(requests)).toEqual(Object.fromEntries(requests.slice(0, sent)));
});
