import { afterEach, expect, test, vi } from "vitest";
import { readAccess } from "../../../tools/live/access.ts";
import { readGuard } from "../../../tools/live/credentials.ts";
import { readEngine } from "../../../tools/live/gateway-cluster.ts";

afterEach(() => vi.unstubAllEnvs());

test.each([
  [30, 30_000],
  [0.5, 500],
  [3_000_000, 2_147_483_647],
  [Infinity, 2_147_483_647],
])("the timeout %d s fits into a timer", (timeout, milliseconds) => {
  expect(readAccess({ timeout }).timeout).toBe(milliseconds);
});

test.each([0, -1, NaN])("the timeout %d is rejected", (timeout) => {
  expect(() => readAccess({ timeout })).toThrow("--timeout is not a number of seconds above 0");
});

test.each<[string, () => unknown, string]>([
  [
    "a header",
    () => readAccess({ header: ["Authorization: Bearer ${API_TOKEN}"] }),
    "--header Authorization: the host",
  ],
  [
    "a header from a variable",
    () => readAccess({ headerEnv: ["X-Key=UNFILLED"] }),
    "variable UNFILLED is a placeholder",
  ],
  ["a variable", () => readAccess({ env: ["KEY=${input:key}"] }), "--env KEY: the host did not fill in"],
  ["a variable that is passed on", () => readAccess({ env: ["UNFILLED"] }), "--env UNFILLED: the host did not fill in"],
  ["a key of callers", () => readGuard({ bearerEnv: "UNFILLED" }), "variable UNFILLED is a placeholder"],
  ["the address of an engine", () => readEngine(""), "--engine: no address is given"],
])("a placeholder that a host did not fill in is rejected as %s", (_, read, message) => {
  vi.stubEnv("UNFILLED", "${user_config.long_name_of_a_key}");
  vi.stubEnv("ENGINE_URL", "${ENGINE_URL}");
  expect(read).toThrow(message);
});
