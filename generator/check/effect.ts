import type { Exchange } from "./wires/wire.ts";

/** Milliseconds given to a message without a response to take effect. */
const effectTime = 150;

/** Waits for a message without a response to take effect. */
export async function waitForEffect(milliseconds: number = effectTime): Promise<void> {
  await new Promise((done) => setTimeout(done, milliseconds));
}

/** Waits for a message without a response to take effect. Returns an empty exchange. */
export async function pause(): Promise<Exchange> {
  await waitForEffect();
  return {};
}
