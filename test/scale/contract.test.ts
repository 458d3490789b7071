import { selectFixture } from "./engine-fixture.ts";
import { describeSessions } from "./contract/sessions.suite.ts";

/*
 * What every engine does, on the engine that the environment variable SCALE_ENGINE names. An engine of one's own is added to `fixtures` in
 * engine-fixture.ts.
 */

const fixture = selectFixture();

describeSessions(fixture);
