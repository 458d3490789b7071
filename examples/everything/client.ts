import type { Declarations } from "create-mcp-server/2025-11-25";
import { connectClient, connectHttp, revisions, type ClientSession, type Revision } from "create-mcp-server/runtime";

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error("Name a server: npm run -s everything-client -- http://127.0.0.1:3000/mcp");

// The conformance suite says what it wants to see by these; without them, the client looks around.
const { MCP_CONFORMANCE_SCENARIO: scenario = "tour", MCP_CONFORMANCE_PROTOCOL_VERSION: version } = process.env;
const drive = findScenario(scenario);

const session = await connectClient<Declarations>((options) => connectHttp(url, options), {
  info: { name: "everything-client", version: "1.0.0" },
  revisions: chooseRevisions(version),
  roots: [{ uri: "file:///tmp", name: "tmp" }],
  sampling: {
    createMessage: ({ messages }) => ({
      role: "assistant",
      content: { type: "text", text: `You wrote ${messages.length} message(s).` },
      model: "none",
    }),
  },
  // Fields that are left out take their defaults.
  elicitation: { form: () => ({ action: "accept" }) },
  onLog: ({ level, data }) => console.log(`  ${level}: ${JSON.stringify(data)}`),
});
try {
  await drive(session);
} finally {
  await session.close();
}

type Scenario = (server: ClientSession<Declarations>) => Promise<void>;

function findScenario(name: string): Scenario {
  const scenarios: { readonly [name: string]: Scenario } = {
    tour,
    // A server without any capability: there is nothing else to ask.
    initialize: (server) => server.ping(),
    tools_call: listAndCall("add_numbers", { a: 2, b: 3 }),
    "elicitation-sep1034-client-defaults": listAndCall("test_client_elicitation_defaults"),
    "sse-retry": listAndCall("test_reconnection"),
    "json-schema-2020-12-preservation": echoSchema,
  };
  const found = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
  if (found) return found;
  throw new Error(`There is no scenario "${name}". Choose from ${Object.keys(scenarios).join(", ")}.`);
}

function listAndCall(name: string, args: object = {}): Scenario {
  return async (server) => {
    await server.listTools();
    await server.callTool(name, args);
  };
}

/** Sends the schema of one tool back through another, untouched. */
async function echoSchema(server: ClientSession<Declarations>): Promise<void> {
  const tools = await server.listTools();
  const tool = tools.find(({ name }) => name === "json_schema_2020_12_tool");
  if (!tool) throw new Error("The server lists no json_schema_2020_12_tool.");
  await server.callTool("json_schema_echo", { schema: tool.inputSchema });
}

/** Prints what the server offers, and what those of its tools answer that need no arguments. */
async function tour(server: ClientSession<Declarations>): Promise<void> {
  for await (const { name, description = "", inputSchema } of server.items("tools")) {
    console.log(`tool ${name}: ${description}`);
    if (Object.keys(inputSchema.properties ?? {}).length > 0) continue;
    const { content } = await server.callTool(name, {}, { onProgress: printProgress });
    for (const block of content) console.log(`  ${block.type === "text" ? block.text : `(${block.type})`}`);
  }
  for await (const { name, uri } of server.items("resources")) console.log(`resource ${name} at ${uri}`);
  for await (const { name, uriTemplate } of server.items("resourceTemplates")) {
    console.log(`resources ${name} at ${uriTemplate}`);
  }
  for await (const { name, description = "" } of server.items("prompts")) console.log(`prompt ${name}: ${description}`);
}

function printProgress({ progress, total = 1 }: { readonly progress: number; readonly total?: number }): void {
  console.log(`  ${Math.round((100 * progress) / total)} %`);
}

function chooseRevisions(wanted: string | undefined): readonly Revision[] {
  const known = revisions.filter(({ lifecycle }) => lifecycle === "handshake");
  const chosen = known.filter(({ id }) => wanted === undefined || id === wanted);
  if (chosen.length > 0) return chosen;
  throw new Error(`This client does not speak ${wanted}, but ${known.map(({ id }) => id).join(", ")}.`);
}
