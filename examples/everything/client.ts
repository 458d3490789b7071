import { ClientCalls, type ClientHandlers, type ElicitRequestFormParams } from "create-mcp-server/2025-11-25";
import { connectHttp, readItems, revisions, type CallContext, type Revision } from "create-mcp-server/runtime";

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error("Name a server: npm run -s everything-client -- http://127.0.0.1:3000/mcp");

// The conformance suite says what it wants to see by these; without them, the client looks around.
const { MCP_CONFORMANCE_SCENARIO: scenario = "tour", MCP_CONFORMANCE_PROTOCOL_VERSION: version } = process.env;
const drive = findScenario(scenario);

const handlers: ClientHandlers<CallContext> = {
  createMessage: ({ messages }) => ({
    role: "assistant",
    content: { type: "text", text: `You wrote ${messages.length} message(s).` },
    model: "none",
  }),
  elicit: (params) =>
    "requestedSchema" in params ? { action: "accept", content: readDefaults(params) } : { action: "decline" },
  listRoots: () => ({ roots: [{ uri: "file:///tmp", name: "tmp" }] }),
};

const connection = await connectHttp(url, {
  info: { name: "everything-client", version: "1.0.0" },
  revisions: chooseRevisions(version),
  capabilities: ({ id }) => ({ roots: {}, sampling: {}, ...(id >= "2025-06-18" && { elicitation: {} }) }),
  handlers,
});
try {
  await drive(new ClientCalls(connection));
} finally {
  await connection.close();
}

type Scenario = (server: ClientCalls) => Promise<void>;

function findScenario(name: string): Scenario {
  const scenarios: { readonly [name: string]: Scenario } = {
    tour,
    // A server without any capability: there is nothing else to ask.
    initialize: async (server) => void (await server.ping()),
    tools_call: (server) => listAndCall(server, "add_numbers", { a: 2, b: 3 }),
    "elicitation-sep1034-client-defaults": (server) => listAndCall(server, "test_client_elicitation_defaults"),
    "sse-retry": (server) => listAndCall(server, "test_reconnection"),
    "json-schema-2020-12-preservation": echoSchema,
  };
  const found = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
  if (found) return found;
  throw new Error(`There is no scenario "${name}". Choose from ${Object.keys(scenarios).join(", ")}.`);
}

async function listAndCall(server: ClientCalls, name: string, args: Record<string, unknown> = {}): Promise<void> {
  await server.listTools();
  await server.callTool({ name, arguments: args });
}

/** Sends the schema of one tool back through another, untouched. */
async function echoSchema(server: ClientCalls): Promise<void> {
  const { tools } = await server.listTools();
  const tool = tools.find(({ name }) => name === "json_schema_2020_12_tool");
  if (!tool) throw new Error("The server lists no json_schema_2020_12_tool.");
  await server.callTool({ name: "json_schema_echo", arguments: { schema: tool.inputSchema } });
}

/** Prints what the server offers, and what those of its tools answer that need no arguments. */
async function tour(server: ClientCalls): Promise<void> {
  for await (const tool of readItems(
    (page) => server.listTools(page),
    ({ tools }) => tools,
  )) {
    console.log(`tool ${tool.name}: ${tool.description ?? ""}`);
    if (Object.keys(tool.inputSchema.properties ?? {}).length > 0) continue;
    const { content } = await server.callTool(
      { name: tool.name },
      { onProgress: ({ progress, total = "?" }) => console.log(`  ${progress} of ${total}`) },
    );
    for (const block of content) console.log(`  ${block.type === "text" ? block.text : `(${block.type})`}`);
  }
  for await (const { uri, name } of readItems(
    (page) => server.listResources(page),
    ({ resources }) => resources,
  )) {
    console.log(`resource ${name} at ${uri}`);
  }
  for await (const { name } of readItems(
    (page) => server.listPrompts(page),
    ({ prompts }) => prompts,
  )) {
    console.log(`prompt ${name}`);
  }
}

/** Fills a form in as its author proposes. */
function readDefaults({
  requestedSchema,
}: ElicitRequestFormParams): Record<string, string | number | boolean | string[]> {
  const filled: Record<string, string | number | boolean | string[]> = {};
  for (const [name, field] of Object.entries(requestedSchema.properties)) {
    if (field.default !== undefined) filled[name] = field.default;
  }
  return filled;
}

function chooseRevisions(wanted: string | undefined): readonly Revision[] {
  const known = revisions.filter(({ lifecycle }) => lifecycle === "handshake");
  const chosen = known.filter(({ id }) => wanted === undefined || id === wanted);
  if (chosen.length > 0) return chosen;
  throw new Error(`This client does not speak ${wanted}, but ${known.map(({ id }) => id).join(", ")}.`);
}
