import { describe, expect, test } from "vitest";
import { Shares } from "../../../runtime/stores/shares.ts";

/** Takes one after the other for as long as there is room. */
function fill(shares: Shares, owner: string | undefined): number {
  while (shares.roomFor(owner) >= 1) shares.change(owner, 1);
  return shares.held(owner);
}

describe("shares of a capacity", () => {
  test("an owner may take half, and each further one as much as is left then", () => {
    const shares = new Shares(1_000);
    expect(["a", "b", "c", "d"].map((owner) => fill(shares, owner))).toEqual([500, 250, 125, 63]);
    expect(shares.total).toBe(938);
  });

  test("one of n concurrent owners has the n+1st part", () => {
    const shares = new Shares(1_000);
    const owners = Array.from({ length: 9 }, (_, index) => `${index}`);
    for (let round = 0; round < 1_000; round += 1)
      for (const owner of owners) if (shares.roomFor(owner) >= 1) shares.change(owner, 1);
    for (const owner of owners) expect(shares.held(owner)).toBeCloseTo(100, -1);
  });

  test("an owner above its share has no room", () => {
    const shares = new Shares(100);
    fill(shares, "a");
    fill(shares, "b");
    expect(shares.roomFor("a")).toBeLessThan(0);
    shares.change("a", -40);
    expect(shares.roomFor("a")).toBeGreaterThan(0);
  });

  test("a large amount is rejected beyond the rest after it", () => {
    const shares = new Shares(100);
    expect(shares.roomFor("a")).toBe(50);
    shares.change("a", 30);
    expect(shares.roomFor("a")).toBe(20);
    expect(shares.roomFor("b")).toBe(35);
  });

  test("unauthenticated clients may take all that is free", () => {
    const shares = new Shares(100);
    shares.change("a", 30);
    expect(fill(shares, undefined)).toBe(70);
    expect(shares.roomFor(undefined)).toBe(0);
  });

  test.each([1, 2, 3])("one owner can use a capacity of %i", (capacity) => {
    expect(fill(new Shares(capacity), "a")).toBe(Math.ceil(capacity / 2));
  });

  test("owners without entries take no memory", () => {
    const shares = new Shares(100);
    shares.change("a", 5);
    shares.change("a", -5);
    expect([shares.held("a"), shares.total]).toEqual([0, 0]);
  });
});
