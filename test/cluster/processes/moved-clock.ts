/*
 * Clock of a process that a test moves: each SIGUSR2 sets it to the next of the offsets. The monotonic clock goes on, as when an operator sets the clock.
 */

const hour = 3_600_000;
const offsets = [hour, -hour, 0];

const exactNow = Date.now;
let offset = 0;
const movedNow = (): number => exactNow() + offset;

globalThis.Date = new Proxy(Date, {
  construct: (target, args) => (args.length === 0 ? new target(movedNow()) : Reflect.construct(target, args)),
  get: (target, key) => (key === "now" ? movedNow : Reflect.get(target, key)),
});

process.on("SIGUSR2", () => {
  offset = offsets.shift() ?? 0;
  offsets.push(offset);
});

/** Returns the time that all processes share, in milliseconds since 1970. */
export function readExactTime(): number {
  return exactNow();
}
