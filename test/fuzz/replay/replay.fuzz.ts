import { testReplay } from "./suite.ts";

/** As many handlers as `REPLAY_PROGRAMS` says; 100,000 take some eight minutes. */
testReplay(Number(process.env.REPLAY_PROGRAMS ?? 20_000));
