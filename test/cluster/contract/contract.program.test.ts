import { afterAll } from "vitest";
import { selectFixture } from "../engine-fixture.ts";
import { describeCredentials } from "./credentials.suite.ts";
import { describeEngine } from "./engine.suite.ts";
import { describeEvents } from "./events.suite.ts";
import { describeLedger } from "./ledger.suite.ts";
import { describeNodes } from "./nodes.suite.ts";
import { describeRandomOperations } from "./random.suite.ts";
import { describeReplays } from "./replays.suite.ts";
import { describeRates } from "./rates.suite.ts";
import { describeRevocations } from "./revocations.suite.ts";
import { describeSessions } from "./sessions.suite.ts";
import { describeTasks } from "./tasks.suite.ts";

/*
 * What every engine does, on the engine that the environment variable SCALE_ENGINE names. An engine of one's own is added to `fixtures` in
 * engine-fixture.ts.
 */

const fixture = selectFixture();

afterAll(() => fixture.close?.());

describeEngine(fixture);
describeSessions(fixture);
describeEvents(fixture);
describeNodes(fixture);
describeTasks(fixture);
describeReplays(fixture);
describeLedger(fixture);
describeRates(fixture);
describeRevocations(fixture);
describeCredentials(fixture);
describeRandomOperations(fixture);
