import { parseYaml } from "mcp-server-runtime/adapters/yaml";
import type { ClientSession } from "mcp-server-runtime";
import { createSkillReader } from "mcp-server-runtime/skills";
import type { Declarations } from "./mcp/index.ts";

/** Conversation of a client with a server. */
export type Scenario = (server: ClientSession<Declarations>) => Promise<void>;

/** Returns the scenario of the conformance suite with a name. `context` contains its further input. */
export function findScenario(name: string, context: ScenarioContext): Scenario | undefined {
  // Authorization comes first; the calls that follow are always the same.
  if (name.startsWith("auth/")) return listAndCall("test-tool");
  const scenarios = readScenarios(context);
  return Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
}

function readScenarios(context: ScenarioContext): { readonly [name: string]: Scenario } {
  return {
    // The server has no capabilities, so there is nothing else to request.
    initialize: async (server) => void (await server.request("ping")),
    tools_call: listAndCall("add_numbers", { a: 2, b: 3 }),
    "elicitation-sep1034-client-defaults": listAndCall("test_client_elicitation_defaults"),
    "sse-retry": listAndCall("test_reconnection"),
    "json-schema-2020-12-preservation": echoSchema,
    "request-metadata": async (server) => void (await server.request("server/discover", {})),
    "sep-2322-client-request-state": callEveryTool,
    "http-standard-headers": useEverything,
    "http-custom-headers": (server) => callTools(server, context.toolCalls ?? []),
    "http-invalid-tool-headers": callEveryTool,
    "json-schema-ref-no-deref": async (server) => void (await server.listTools()),
    "sep-2640-client-no-prefetch": async (server) => void (await createSkillReader(server, { parseYaml }).list()),
    "sep-2640-client-verify-digest": useSkills,
    "sep-2640-client-verify-size": useSkills,
    "sep-2640-client-verify-frontmatter": useSkills,
  };
}

/** Input of a scenario. */
export interface ScenarioContext {
  readonly toolCalls?: readonly ToolCall[];
}

interface ToolCall {
  readonly name: string;
  readonly arguments?: object;
}

function listAndCall(name: string, args: object = {}): Scenario {
  return (server) => callTools(server, [{ name, arguments: args }]);
}

async function callTools(server: ClientSession<Declarations>, calls: readonly ToolCall[]): Promise<void> {
  await server.listTools();
  for (const { name, arguments: args = {} } of calls) await server.callTool(name, args);
}

/** Calls the tools that the client lists. It omits tools with invalid param headers. */
async function callEveryTool(server: ClientSession<Declarations>): Promise<void> {
  for (const { name, inputSchema } of await server.listTools()) {
    const required: readonly unknown[] = Array.isArray(inputSchema.required) ? inputSchema.required : [];
    await server.callTool(name, Object.fromEntries(required.map((argument) => [argument, "somewhere"])));
  }
}

/** Reads every file of every skill, and checks each against its digest. */
async function useSkills(server: ClientSession<Declarations>): Promise<void> {
  const reader = createSkillReader(server, { parseYaml });
  for (const entry of await reader.list()) {
    const skill = await reader.load(entry);
    if (entry.resources !== "dynamic") for (const { uri } of entry.resources) await skill.read(uri);
  }
}

/** Sends the schema of one tool unchanged to another tool. */
async function echoSchema(server: ClientSession<Declarations>): Promise<void> {
  const tools = await server.listTools();
  const tool = tools.find(({ name }) => name === "json_schema_2020_12_tool");
  if (!tool) throw new Error("The server lists no json_schema_2020_12_tool.");
  await server.callTool("json_schema_echo", { schema: tool.inputSchema });
}

async function useEverything(server: ClientSession<Declarations>): Promise<void> {
  for (const { name } of await server.listTools()) await server.callTool(name);
  for (const { uri } of await server.listResources()) await server.readResource(uri);
  for (const { name } of await server.listPrompts()) await server.getPrompt(name);
}
