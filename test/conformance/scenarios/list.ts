import { authorizationScenarios } from "./server/authorization.ts";
import { messageScenarios } from "./server/messages.ts";
import { resultScenarios } from "./server/results.ts";
import { runningScenarios } from "./server/running-requests.ts";
import { sessionScenarios } from "./server/sessions.ts";
import { authorizationScenarios as clientAuthorizationScenarios } from "./client/authorization.ts";
import { messageScenarios as clientMessageScenarios } from "./client/messages.ts";
import { resultScenarios as clientResultScenarios } from "./client/results.ts";
import { runningScenarios as clientRunningScenarios } from "./client/running-requests.ts";
import { toClientScene, type ClientScene } from "./client/scripted.ts";
import { sessionScenarios as clientSessionScenarios } from "./client/sessions.ts";
import { runScenario, type Outcome, type Scenario, type ScenarioFacts, type Scene } from "./scenario.ts";
import { startServers, toServerScene, type ServerScene } from "./subjects.ts";

/** Scenarios of servers. */
export const serverScenarios: readonly Scenario<ServerScene>[] = [
  ...messageScenarios,
  ...sessionScenarios,
  ...runningScenarios,
  ...resultScenarios,
  ...authorizationScenarios,
];

/** Scenarios of clients. */
export const clientScenarios: readonly Scenario<ClientScene>[] = [
  ...clientMessageScenarios,
  ...clientSessionScenarios,
  ...clientRunningScenarios,
  ...clientResultScenarios,
  ...clientAuthorizationScenarios,
];

/** All scenarios, as they are listed in the documentation. */
export const everyScenario: readonly ScenarioFacts[] = [...serverScenarios, ...clientScenarios];

/** Runs every scenario at each of its revisions, those of one scenario at the same time. */
export async function runScenarios(signal: AbortSignal): Promise<readonly Outcome[]> {
  const servers = await startServers(signal);
  try {
    const toScene = (scene: Scene): ServerScene => toServerScene(scene, servers);
    return [...(await runAll(serverScenarios, toScene)), ...(await runAll(clientScenarios, toClientScene))];
  } finally {
    await servers.stop();
  }
}

async function runAll<Subject>(
  scenarios: readonly Scenario<Subject>[],
  toSubject: (scene: Scene) => Subject,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const scenario of scenarios) {
    const runs = scenario.revisions.map((revision) => runScenario(scenario, revision, toSubject));
    outcomes.push(...(await Promise.all(runs)));
  }
  return outcomes;
}
