import { expect, test } from "vitest";
import { PostExchange } from "../../../../runtime/transport/http-client/post-exchange.ts";

test("an exchange calls each function once when the last response has arrived, and a later one at once", () => {
  const exchange = new PostExchange([1, 2]);
  const calls: string[] = [];
  for (const name of ["first", "second"]) exchange.whenDone(() => calls.push(name));
  exchange.settle(1);
  exchange.settle(3);
  expect(calls).toEqual([]);
  exchange.settle(2);
  exchange.settle(2);
  expect(calls).toEqual(["first", "second"]);
  exchange.whenDone(() => calls.push("late"));
  expect(calls).toEqual(["first", "second", "late"]);
});
