import { extension as skills } from "mcp-server-runtime/extensions/skills";
import type { ClientSession, Revision } from "mcp-server-runtime";
import { createAuth, type AuthContext } from "./authorization.ts";
import { connectHttp, createClient, revisions, type Declarations } from "./mcp/index.ts";
import { findScenario, type ScenarioContext } from "./scenarios.ts";

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error("Name a server: npm run -s everything-client -- http://127.0.0.1:3000/mcp");

// The conformance suite selects a scenario with these variables. Without them, the client lists and calls everything.
const {
  MCP_CONFORMANCE_SCENARIO: scenario = "tour",
  MCP_CONFORMANCE_PROTOCOL_VERSION: version,
  MCP_CONFORMANCE_CONTEXT: context = "{}",
} = process.env;
const told: ScenarioContext & AuthContext = JSON.parse(context);
const drive = scenario === "tour" ? tour : findScenario(scenario, told);
if (!drive) throw new Error(`There is no scenario "${scenario}".`);
const auth = await createAuth(url, { scenario, context: told });

const client = createClient({
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
  extensions: [skills],
  // Omitted fields take their defaults.
  elicitation: { form: () => ({ action: "accept" }) },
  onLog: ({ level, data }) => console.log(`  ${level}: ${JSON.stringify(data)}`),
});
const session = await client.connect((options) => connectHttp(url, { ...options, auth }));
try {
  await drive(session);
} finally {
  await session.close();
}

/** Prints the lists of the server, and the results of its tools without arguments. */
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
  const chosen = revisions.filter(({ id }) => wanted === undefined || id === wanted);
  if (chosen.length > 0) return chosen;
  throw new Error(`This client does not speak ${wanted}, but ${revisions.map(({ id }) => id).join(", ")}.`);
}
