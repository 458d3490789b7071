import fc from "fast-check";
import { expect, it } from "vitest";
import { UseOrder, type Place } from "../../../runtime/stores/use-order.ts";

it("an order of use is the one of a set whose used items are deleted and added again", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom("use", "remove"), fc.integer({ min: 0, max: 5 })));
  fc.assert(
    fc.property(steps, (used) => {
      const order = new UseOrder<number>();
      const places = new Map<number, Place<number>>();
      const expected = new Set<number>();
      for (const [step, item] of used) {
        const place = places.get(item);
        expected.delete(item);
        if (step === "use") {
          expected.add(item);
          if (place) order.renew(place);
          else places.set(item, order.add(item));
        } else if (place) {
          order.remove(place);
          places.delete(item);
        }
        expect(order.first).toBe([...expected][0]);
      }
      const left: unknown[] = [];
      for (let first = order.first; first !== undefined; first = order.first) {
        left.push(first);
        const place = places.get(first);
        if (place) order.remove(place);
      }
      expect(left).toEqual([...expected]);
    }),
  );
});
