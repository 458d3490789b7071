import { describe, expect, test } from "vitest";
import { RevocationList } from "../../../runtime/stores/revocations.ts";

describe("revocations of one process", () => {
  test("a revocation is kept for ten minutes after the expiry of the token: guards accept it for a moment longer", async () => {
    const time = { now: 0 };
    const list = new RevocationList(() => time.now);
    await list.revoke({ principal: "ada", until: 1_000 });
    const revoked = [0, 1_000, 61_000, 600_999, 601_000].map((now) => {
      time.now = now;
      return list.isRevoked({ principal: "ada" });
    });
    expect(revoked).toEqual([true, true, true, true, false]);
  });

  test("a token that has just expired can be revoked", async () => {
    const list = new RevocationList(() => 2_000);
    await list.revoke({ principal: "ada", until: 1_000 });
    expect(list.isRevoked({ principal: "ada" })).toBe(true);
  });
});
