/* Tries a client library of the npm registry, in the folder where it is installed. Arguments: the name of its package, and the URL of the server. */
import dns from "node:dns";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Each connects and returns the client. `list` returns names of tools; `call` returns the result in the form of the library, or rejects.
 * `onProgress` is called for every progress notification, where the library tells of them.
 */
const adapters = {
  async "@ai-sdk/mcp"(url) {
    const { createMCPClient } = await import("@ai-sdk/mcp");
    const client = await createMCPClient({ transport: { type: "http", url } });
    const tools = await client.tools();
    return {
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args) => tools[name].execute(args, { toolCallId: "1", messages: [] }),
      close: () => client.close(),
    };
  },

  /** A bridge from stdio; the official client talks to it. */
  async "mcp-remote"(url, onprogress) {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const client = new Client({ name: "tries", version: "1" });
    const args = ["node_modules/mcp-remote/dist/proxy.js", url, "--transport", "http-only"];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env: process.env, stderr: "ignore" }),
    );
    return {
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args) => client.callTool({ name, arguments: args }, undefined, { onprogress }),
      close: () => client.close(),
    };
  },

  async mcporter(url) {
    const { createRuntime } = await import("mcporter");
    const runtime = await createRuntime({ servers: [{ name: "tried", command: { kind: "http", url: new URL(url) } }] });
    await runtime.connect("tried");
    return {
      list: async () => (await runtime.listTools("tried")).map(({ name }) => name),
      call: (name, args) => runtime.callTool("tried", name, { args }),
      close: () => runtime.close(),
    };
  },

  async "@langchain/mcp-adapters"(url, onProgress) {
    const { MultiServerMCPClient } = await import("@langchain/mcp-adapters");
    const client = new MultiServerMCPClient({ mcpServers: { tried: { url } }, onProgress });
    const tools = await client.getTools();
    return {
      list: () => tools.map(({ name }) => name),
      call: (name, args) => tools.find((tool) => tool.name === name).invoke(args),
      close: () => client.close(),
    };
  },

  async "@openai/agents"(url) {
    const { MCPServerStreamableHttp } = await import("@openai/agents");
    const client = new MCPServerStreamableHttp({ url, name: "tried" });
    await client.connect();
    return {
      list: async () => (await client.listTools()).map(({ name }) => name),
      call: (name, args) => client.callToolResult(name, args),
      close: () => client.close(),
    };
  },

  async "@tanstack/ai-mcp"(url) {
    const { createMCPClient } = await import("@tanstack/ai-mcp");
    const client = await createMCPClient({ transport: { type: "http", url } });
    return {
      list: async () => (await client.tools()).map(({ name }) => name),
      call: (name, args) => client.callTool(name, args),
      close: () => client.close(),
    };
  },

  async "@mcpjam/sdk"(url, onprogress) {
    const { MCPClientManager } = await import("@mcpjam/sdk");
    const manager = new MCPClientManager();
    await manager.connectToServer("tried", { url });
    return {
      list: async () => (await manager.listTools("tried")).tools.map(({ name }) => name),
      call: (name, args) => manager.executeTool("tried", name, args, { onprogress }),
      close: () => manager.disconnectAllServers(),
    };
  },

  async "@llamaindex/tools"(url) {
    const { mcp } = await import("@llamaindex/tools");
    const client = mcp({ url });
    const tools = await client.tools();
    return {
      list: () => tools.map(({ metadata }) => metadata.name),
      call: (name, args) => tools.find(({ metadata }) => metadata.name === name).call(args),
      close: () => client.cleanup(),
    };
  },

  async "@genkit-ai/mcp"(url) {
    const { genkit } = await import("genkit");
    const { createMcpClient } = await import("@genkit-ai/mcp");
    const client = createMcpClient({ name: "tried", mcpServer: { url } });
    await client.ready();
    const tools = await client.getActiveTools(genkit({}));
    return {
      list: () => tools.map(({ __action }) => __action.name),
      call: (name, args) => tools.find(({ __action }) => __action.name.endsWith(`/${name}`))(args),
      close: () => client.disable(),
    };
  },

  async "@utcp/mcp"(url) {
    const { UtcpClient } = await import("@utcp/sdk");
    const { McpCallTemplateSerializer } = await import("@utcp/mcp");
    const config = { mcpServers: { server: { transport: "http", url } } };
    const template = new McpCallTemplateSerializer().validateDict({ name: "tried", call_template_type: "mcp", config });
    const client = await UtcpClient.create(process.cwd(), { manual_call_templates: [template] });
    return {
      list: async () => (await client.getTools()).map(({ name }) => name),
      call: (name, args) => client.callTool(`tried.server.${name}`, args),
      close: () => client.close(),
    };
  },

  async "@strands-agents/sdk"(url) {
    const { McpClient } = await import("@strands-agents/sdk");
    const client = new McpClient({ url });
    await client.connect();
    const tools = await client.listTools();
    return {
      list: () => tools.map(({ name }) => name),
      call: (name, args) =>
        client.callTool(
          tools.find((tool) => tool.name === name),
          args,
        ),
      close: () => client.disconnect(),
    };
  },

  async "@mastra/mcp"(url) {
    const { MCPClient } = await import("@mastra/mcp");
    const client = new MCPClient({ servers: { tried: { url: new URL(url) } } });
    const tools = await client.listTools();
    return {
      list: () => Object.keys(tools),
      call: (name, args) => tools[`tried_${name}`].execute(args, {}),
      close: () => client.disconnect(),
    };
  },

  async "@voltagent/core"(url) {
    const { MCPClient } = await import("@voltagent/core");
    const clientInfo = { name: "tries", version: "1" };
    const client = new MCPClient({ clientInfo, server: { type: "streamable-http", url } });
    await client.connect();
    return {
      list: async () => Object.keys(await client.listTools()),
      call: (name, args) => client.callTool({ name, arguments: args }),
      close: () => client.disconnect(),
    };
  },
};

// Libraries that report their use find no host to report to.
dns.lookup = (name, ...rest) => rest.at(-1)(new Error(`${name} is not looked up`));

const [name, url] = process.argv.slice(2);
let heard = 0;
const connect = () => adapters[name](url, () => (heard += 1));
/** The text of a result or an error has to contain another text. */
const mustContain = (value, text) => {
  const found = value instanceof Error ? String(value.message) : JSON.stringify(value);
  if (!found?.includes(text)) throw new Error(`got ${found?.slice(0, 200)}`);
};
const echo = async (text) => mustContain(await client.call("echo", { text }), text);

let client;
if (!(await step("connects", async () => void (client = await connect())))) process.exit(0);
await step("lists", async () => mustContain(await client.list(), "echo"));
await step("calls", () => echo("hello"));
await step("errors", async () =>
  mustContain(await client.call("fail", {}).catch((error) => error), "the tool has failed"),
);
await step("1 MB", async () => mustContain(await client.call("large", {}), "x".repeat(1_000_000)));
await step("progress", async () => {
  mustContain(await client.call("progress", {}), "done");
  return { heard };
});
await restart();
const goesOn =
  (await step("restart first", () => echo("first"))) || (await step("restart second", () => echo("second")));
if (!goesOn)
  await step("restart again", async () => {
    await close();
    client = await connect();
    await echo("again");
  });
await close();
process.exit(0);

/** Reports the outcome of a step to the parent process; a step that takes too long fails. */
async function step(name, work) {
  const late = sleep(15_000).then(() => Promise.reject(new Error("no response within 15 s")));
  try {
    const outcome = await Promise.race([work(), late]);
    await report({ name, ...outcome });
    return true;
  } catch (error) {
    await report({ name, problem: String(error?.message ?? error) });
    return false;
  }
}

function report(message) {
  return new Promise((resolve) => process.send(message, resolve));
}

/** The parent process restarts the server. */
function restart() {
  return new Promise((resolve) => {
    process.once("message", resolve);
    process.send("restart");
  });
}

/** Some clients do not close while their server does not respond. */
async function close() {
  await Promise.race([Promise.resolve(client.close()).catch(() => {}), sleep(5_000)]);
}
