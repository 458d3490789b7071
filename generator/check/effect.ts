import type { Exchange } from "./wire.ts";

/** How long what nobody answers is given to have an effect. */
const effectTime = 150;

/** Waits for what nobody answers to have an effect. */
export async function waitForEffect(milliseconds: number = effectTime): Promise<void> {
  await new Promise((done) => setTimeout(done, milliseconds));
}

/** Waits for the effect of a message without a response. */
export async function pause(): Promise<Exchange> {
  await waitForEffect();
  return {};
}
