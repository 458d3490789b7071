import { isObject, type Revision } from "../../generated/support.ts";
import { createUntypedClient } from "../../runtime/client/create-client.ts";
import { createServer, type Server } from "../../runtime/server/create-server.ts";
import { logged } from "./definition.ts";
import { after, type Drawn } from "./draw.ts";
import { connectInProcess } from "./memory.ts";
import type { Step } from "./step.ts";

/** A client written for the fictional revision calls a server of each older revision. */
export async function callOlderServers(step: Step, drawn: Drawn, revisions: readonly Revision[]): Promise<void> {
  for (const revision of revisions.filter(({ id }) => id !== after))
    await callServer({ step, drawn, revisions }, revision);
}

interface Talk {
  readonly step: Step;
  readonly drawn: Drawn;
  readonly revisions: readonly Revision[];
}

async function callServer({ step, drawn, revisions }: Talk, revision: Revision): Promise<void> {
  const { from, to } = drawn.logLevel;
  const entries: unknown[] = [];
  const client = createUntypedClient({
    info: { name: "drill", version: "1" },
    revisions,
    logLevel: to,
    onLog: (entry) => void entries.push(isObject(entry) ? entry.level : entry),
  });
  await using session = await client.connect(connectInProcess(defineOld(from, revision)));
  step.expect("revision of the session", session.revision.id, revision.id);
  const names = async (list: Promise<readonly unknown[]>): Promise<unknown> =>
    (await list).map((item) => (isObject(item) ? item.name : item));
  // Newly required members are absent there.
  step.expect(`prompts of a server of ${revision.id}`, await names(session.listPrompts()), ["greet"]);
  step.expect(`tools of a server of ${revision.id}`, await names(session.listTools()), ["log"]);
  const result: unknown = await session.callTool("log");
  step.check(`a call to a server of ${revision.id}`, JSON.stringify(result).includes(logged), result);
  step.expect(`level of a message of a server of ${revision.id}`, entries, [to]);
  const { method, param } = drawn.method;
  const found = await session.request(method, { [param]: "a" }).catch((error: unknown) => error);
  step.check(`${method} is rejected by a server of ${revision.id}`, found instanceof Error, found);
}

function defineOld(level: string, revision: Revision): Server {
  const log = {
    name: "log",
    async execute(_args: unknown, context: { log(level: string, data: unknown): Promise<void> }) {
      await context.log(level, logged);
      return logged;
    },
  };
  const prompts = [{ name: "greet", arguments: { who: {} }, get: () => "Hello" }];
  return createServer({ name: "old", version: "1", tools: [log], prompts }, [revision]);
}
