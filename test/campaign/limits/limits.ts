import { setTimeout as delay } from "node:timers/promises";
import { describeFigure, exactly, startRun, type CampaignResult, type PartOptions } from "../result.ts";
import { connectionCases } from "./cases/connections.ts";
import { messageCases } from "./cases/messages.ts";
import { stateCases } from "./cases/state.ts";
import type { LimitCase } from "./limit-case.ts";

/* Every published limit is reached once at a real server: the client gets the documented error, and another client is served meanwhile. */

/** All limits that are reached. */
export const limitCases: readonly LimitCase[] = [...messageCases, ...connectionCases, ...stateCases];

/** Milliseconds after which a limit has not been reached. */
const patience = 30_000;

/** Reaches each limit. */
export async function run(options: PartOptions): Promise<CampaignResult> {
  const { transport } = options;
  const { finish } = startRun("limits", options);
  const chosen = limitCases.filter(({ over }) => transport === undefined || over === transport);
  if (chosen.length === 0) throw new Error(`The transport ${transport} has no limits; give http, websocket or tcp`);
  const violations: string[] = [];
  for (const limitCase of chosen) violations.push(...(await check(limitCase)));
  const limits = new Set(chosen.map(({ limit }) => limit)).size;
  return finish(
    [
      exactly("limits reached with the documented error", chosen.length - violations.length, {
        limit: chosen.length,
        unit: "",
      }),
      describeFigure("limits", limits, ""),
    ],
    violations,
  );
}

/** Reaches a limit. Returns what is not as documented. */
export async function check({ limit, over, outcome, open, reach }: LimitCase): Promise<readonly string[]> {
  const rig = await open();
  const complain = (problem: string): readonly string[] => [`${limit} over ${over}: ${problem}`];
  try {
    const reached = await within(reach(rig));
    if (reached !== outcome) return complain(`${reached} instead of ${outcome}`);
    const problem = await within(rig.callOther().then(() => undefined, String));
    return problem === undefined ? [] : complain(`another client is not served: ${problem}`);
  } catch (error) {
    return complain(String(error));
  } finally {
    await rig.close();
  }
}

async function within<Value>(promise: Promise<Value>): Promise<Value | string> {
  const controller = new AbortController();
  const late = delay(patience, `nothing within ${patience} ms`, controller);
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    controller.abort();
  }
}
