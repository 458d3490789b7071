import { describe, expect, test } from "vitest";
import { findViolation, kinds, seed } from "./check.ts";

/** Tests the model without a fault, over many schedules of one kind. */
export function testKind(name: string, schedules: number): void {
  describe(`the model of streams, owners and leases (seed ${seed})`, () => {
    test(`${schedules} schedules of ${name}: events, their order and final responses are kept`, async () => {
      const kind = kinds.find((candidate) => candidate.name === name);
      expect(kind && (await findViolation(kind, { schedules }))).toBeUndefined();
      expect(kind).toBeDefined();
    });
  });
}
