import { afterEach, beforeEach, expect } from "vitest";

/** Fails each test of a file that leaves a rejection unhandled: in a program, it would end the process. */
export function rejectUnhandledRejections(): void {
  const rejected: unknown[] = [];
  const note = (reason: unknown): void => void rejected.push(reason);
  beforeEach(() => void process.on("unhandledRejection", note));
  afterEach(() => {
    process.removeListener("unhandledRejection", note);
    expect(rejected.splice(0)).toEqual([]);
  });
}
