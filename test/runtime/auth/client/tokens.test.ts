import { expect, test, vi } from "vitest";
import { decodeTokens, encodeTokens, toRenewal } from "../../../../runtime/auth/client/tokens/tokens.ts";

const needed = {
  issuer: "https://login.example",
  resource: "https://mcp.example/mcp",
  clientId: "c",
  accessToken: "a",
  type: "bearer",
  requested: ["read"],
} as const;
const further = { refreshToken: "r", renewAt: 5, keyId: "k" };

test("stored tokens are read as they were written", () => {
  expect(decodeTokens(encodeTokens({ ...needed, ...further }))).toEqual({ ...needed, ...further });
  expect(decodeTokens(encodeTokens({ ...needed, type: "dpop", requested: [] }))).toEqual({
    ...needed,
    type: "dpop",
    requested: [],
  });
});

test.each([
  ...Object.keys(needed).flatMap((name) => [{ [name]: 5 }, { [name]: undefined }]),
  { type: "Bearer" },
  { requested: ["read", 5] },
  { requested: "read" },
])("stored tokens with the wrong members %j are not used", (wrong) => {
  expect(decodeTokens(JSON.stringify({ ...needed, ...further, ...wrong }))).toBeUndefined();
});

test.each(["", "{", "null", "5", "[]"])("the stored text %j is not used", (text) => {
  expect(decodeTokens(text)).toBeUndefined();
});

test("stored tokens are used without optional members that are wrong", () => {
  const wrong = { refreshToken: 5, renewAt: "5", keyId: 5, other: 1 };
  expect(decodeTokens(JSON.stringify({ ...needed, ...wrong }))).toEqual(needed);
});

test.each([
  [undefined, undefined],
  [3_600, 3_590],
  [20, 10],
  [10, 5],
  [0, 0],
])("a token that lives for %s s is renewed after %s s", (lifetime, seconds) => {
  vi.spyOn(Date, "now").mockReturnValue(1_000);
  expect(toRenewal(lifetime)).toBe(seconds === undefined ? undefined : 1_000 * (seconds + 1));
  vi.restoreAllMocks();
});
