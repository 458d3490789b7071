import { memoryNats } from "../memory-nats.ts";
import { describeValues } from "./credentials.suite.ts";
import { describeEngine } from "./engine.suite.ts";
import { describeEvents } from "./events.suite.ts";
import { describeLedger } from "./ledger.suite.ts";
import { describeNodes } from "./nodes.suite.ts";
import { describeRates } from "./rates.suite.ts";
import { describeReplays } from "./replays.suite.ts";
import { describeRevocations } from "./revocations.suite.ts";
import { describeSessions } from "./sessions.suite.ts";
import { describeTasks } from "./tasks.suite.ts";

/* What every engine does, by the stores on NATS with a server in memory. */

describeEngine(memoryNats);
describeSessions(memoryNats);
describeEvents(memoryNats);
describeNodes(memoryNats);
describeTasks(memoryNats);
describeReplays(memoryNats);
describeLedger(memoryNats);
describeRates(memoryNats);
describeRevocations(memoryNats);
describeValues(memoryNats);
