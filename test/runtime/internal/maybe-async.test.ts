import { expect, test } from "vitest";
import { attempt, chain } from "../../../runtime/internal/maybe-async.ts";

const late = Promise.resolve("late");
const then = late.then.bind(late);

const waited: readonly (readonly [string, PromiseLike<string>])[] = [
  ["a promise", late],
  ["an object with a then", { then }],
  ["a function with a then", Object.assign(() => "early", { then })],
];

test.each(waited)("the value %s is awaited, as await does", async (_name, value) => {
  const chained = chain(value, (text) => `${text}!`);
  expect(chained).toBeInstanceOf(Promise);
  expect(await chained).toBe("late!");
  expect(await attempt(() => value, String)).toBe("late");
});

test.each([["text"], [7], [undefined], [null], [{ then: 1 }], [() => {}]])(
  "the value %s is passed on synchronously",
  (value) => {
    expect(chain<unknown, unknown>(value, (same) => same)).toBe(value);
    expect(attempt<unknown>(() => value, String)).toBe(value);
  },
);

test("an error, at once or later, is handled", async () => {
  const fail = (): never => {
    throw new Error("no");
  };
  expect(attempt<string>(fail, String)).toBe("Error: no");
  expect(await attempt<string>(() => Promise.reject(new Error("no")), String)).toBe("Error: no");
});
