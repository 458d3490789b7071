import fc from "fast-check";
import { expect, test } from "vitest";
import { SlotMap } from "../../../runtime/internal/slot-map.ts";

const step = fc.record({ kind: fc.constantFrom("set", "delete", "clear"), key: fc.nat({ max: 9 }) });

test("a slot map behaves as a Map, in any sequence of operations", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const slots = new SlotMap<number, object>();
      const map = new Map<number, object>();
      for (const [at, { kind, key }] of steps.entries()) {
        const value = { at };
        if (kind === "set") [slots, map].forEach((each) => void each.set(key, value));
        else if (kind === "delete") [slots, map].forEach((each) => void each.delete(key));
        else if (at % 20 === 0) [slots, map].forEach((each) => each.clear());
        expect([slots.size, slots.has(key), slots.get(key)]).toEqual([map.size, map.has(key), map.get(key)]);
        expect([[...slots.keys()], [...slots.values()]]).toEqual([[...map.keys()], [...map.values()]]);
      }
    }),
  );
});
