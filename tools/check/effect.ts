import { setTimeout } from "node:timers/promises";

/** Milliseconds given to a message without a response to take effect. */
const effectTime = 150;

/** Waits for an effect that no response shows. An aborted signal ends the wait. */
export async function waitForEffect(milliseconds: number = effectTime, signal?: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
}
