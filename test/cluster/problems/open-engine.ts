import { onTestFinished } from "vitest";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { createRecord } from "../contract/cluster.ts";

/** Options that the engines of these tests share. */
export const common = { keys: [new Uint8Array(32).fill(7)], prefix: "shop" } as const;

/** Opens an engine, and closes it after the test. */
export async function openEngine(engine: Engine): Promise<Engine> {
  onTestFinished(() => engine.close());
  await engine.open();
  return engine;
}

/** Stores a session. Returns `"stored"`, or the message of the error. */
export async function store({ sessions }: Engine): Promise<string> {
  try {
    await sessions.add(createRecord(crypto.randomUUID()));
    return "stored";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
