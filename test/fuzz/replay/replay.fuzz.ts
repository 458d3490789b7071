import { testReplay } from "./suite.ts";

/** Number of handlers: `REPLAY_PROGRAMS`. 100,000 take about eight minutes. */
testReplay(Number(process.env.REPLAY_PROGRAMS ?? 20_000));
