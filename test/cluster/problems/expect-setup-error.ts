import { expect } from "vitest";
import { SetupError } from "../../../runtime/jsonrpc/errors.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";

/** Opens and closes an engine; returns the problems that it reports. */
export async function readProblems(engine: Engine): Promise<readonly string[]> {
  try {
    await engine.open();
    return engine.status().problems;
  } finally {
    await engine.close();
  }
}

/** Returns the message of the error with which the start of an engine ends: short, with a remedy, and without the password. */
export async function readSetupError(engine: Engine, password: string): Promise<string> {
  const error = await readProblems(engine).then(
    (problems) => new Error(`The engine was opened: ${problems.join(", ")}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SetupError)) throw error;
  expect(error.message.length).toBeLessThanOrEqual(120);
  expect(error.message).toContain("; ");
  expect(error.message).not.toContain(password);
  return error.message;
}
