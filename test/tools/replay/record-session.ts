import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { runReplay, type ReplayCommandOptions } from "../../../cli/commands/replay.ts";
import { limitRevision } from "../../../tools/live/limit-revision.ts";
import { createMockServer } from "../../../tools/replay/mock-server.ts";
import { readRecording } from "../../../tools/replay/read-recording.ts";
import { Recorder } from "../../../tools/replay/write-recording.ts";
import { connectUpstream, createGateway, serveGatewayHttp, type Gateway } from "../../../runtime/gateway/index.ts";
import { connectV1, type OfficialClient } from "../../kit/official-clients.ts";
import { newest } from "../../kit/revisions.ts";
import { joinGateway } from "../../runtime/gateway/connect-client.ts";
import { captured, type CommandResult } from "../../kit/commands.ts";

/** A server that is a program, and calls of its tools. */
export interface Scenario {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly calls: readonly (readonly [tool: string, args?: Record<string, unknown>])[];
}

/** The program of a package. */
export function programOf(name: string): string {
  return fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`));
}

/** Makes calls at a gateway, and closes it. */
type Use = (gateway: Gateway, calls: Scenario["calls"]) => Promise<readonly unknown[]>;

const useV1: Use = (gateway, calls) => callAll(gateway, connectV1, calls);

/** A client without capabilities, so that the server sends no requests at times of its own. */
export const usePlain: Use = async (gateway, calls) => {
  const client = await joinGateway(gateway, newest);
  const results: unknown[] = [];
  for (const [name, given = {}] of calls) results.push(await client.request("tools/call", { name, arguments: given }));
  await client.close();
  await gateway.close();
  return results;
};

/** Records the calls of an official client, at a revision with sessions. Returns the results. */
export async function record(
  path: string,
  { args, env = {}, calls }: Scenario,
  { protocol, use = useV1 }: { readonly protocol?: string; readonly use?: Use } = {},
): Promise<readonly unknown[]> {
  const recorder = new Recorder({ path, redact: [], ifExists: "reject", onNotice() {} });
  const server = connectUpstream({ kind: "command", command: process.execPath, args, env });
  const gateway = await createGateway(protocol === undefined ? server : limitRevision(server, { id: protocol }), {
    revisions,
    onTraffic: recorder.record,
  });
  recorder.begin(gateway);
  try {
    return await use(gateway, calls);
  } finally {
    recorder.close();
  }
}

/** Makes calls at a gateway over HTTP, and closes it. An error is a result. */
export async function callAll(
  gateway: Gateway,
  connect: (place: { readonly kind: "http"; readonly url: string }) => Promise<OfficialClient>,
  calls: Scenario["calls"],
): Promise<readonly unknown[]> {
  const { url, close } = await serveGatewayHttp(gateway);
  try {
    const client = await connect({ kind: "http", url });
    const { tools } = await client.listTools();
    const results: unknown[] = [tools.map(({ name }) => name)];
    for (const [tool, given] of calls)
      results.push(await client.call(tool, given).catch((error: unknown) => ({ error: String(error) })));
    await client.close();
    return results;
  } finally {
    await close();
    await gateway.close();
  }
}

/** A gateway before the mock of a recording. */
export async function openMock(path: string): Promise<Gateway> {
  const gateway = await createGateway(createMockServer(await readRecording(path)), {
    revisions,
    shareConnections: true,
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

/** Runs `replay --against` in this process. */
export function replayAgainst(
  file: string,
  { args, env = {} }: Omit<Scenario, "calls">,
  options: Partial<ReplayCommandOptions> = {},
): Promise<CommandResult> {
  return captured(() =>
    runReplay({
      file,
      against: true,
      server: [process.execPath, ...args],
      env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      ignore: [],
      format: "text",
      failOn: "risky",
      ...options,
    }),
  );
}
