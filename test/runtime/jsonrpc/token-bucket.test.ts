import { expect, test } from "vitest";
import { checkRate, TokenBucket } from "../../../runtime/jsonrpc/token-bucket.ts";

test("a burst is permitted, and then as many events as the rate allows", () => {
  const bucket = new TokenBucket({ burst: 2, perSecond: 4 }, 1_000);
  expect([1_000, 1_000, 1_000].map((now) => bucket.take(now))).toEqual([0, 0, 250]);
  expect(bucket.take(1_100)).toBe(150);
  expect(bucket.take(1_250)).toBe(0);
  expect(bucket.take(1_250)).toBe(250);
});

test("tokens are saved up to the burst", () => {
  const bucket = new TokenBucket({ burst: 2, perSecond: 4 }, 0);
  const takes = Array.from({ length: 3 }, () => bucket.take(60_000));
  expect(takes).toEqual([0, 0, 250]);
});

test.each([
  { burst: 1, perSecond: 0.1 },
  { burst: 5, perSecond: 100 },
])("the rate %j is valid", (rate) => {
  expect(() => checkRate("rate", rate)).not.toThrow();
});

test.each([
  { burst: 0.9, perSecond: 1 },
  { burst: 0, perSecond: 0 },
  { burst: 1, perSecond: 0 },
  { burst: 1, perSecond: -1 },
  { burst: NaN, perSecond: 1 },
  { burst: 1, perSecond: NaN },
])("the rate %j is rejected, as it permits nothing", (rate) => {
  expect(() => checkRate("callRate", rate)).toThrow(
    `callRate has burst ${rate.burst} and perSecond ${rate.perSecond}; use a burst of 1 or more and a perSecond above 0`,
  );
});
