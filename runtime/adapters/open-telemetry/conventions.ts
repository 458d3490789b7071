/*
 * Names of the semantic conventions of OpenTelemetry for MCP. Their status is Development, so that the packages of OpenTelemetry do not export them
 * as stable. They were read on 25 November 2026.
 *
 * https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */

/** Names under which the facts about a message are recorded. */
export const attributeKeys = {
  method: "mcp.method.name",
  protocolVersion: "mcp.protocol.version",
  sessionId: "mcp.session.id",
  resourceUri: "mcp.resource.uri",
  requestId: "jsonrpc.request.id",
  statusCode: "rpc.response.status_code",
  errorType: "error.type",
  operation: "gen_ai.operation.name",
  tool: "gen_ai.tool.name",
  prompt: "gen_ai.prompt.name",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  transport: "network.transport",
  protocolName: "network.protocol.name",
  networkProtocolVersion: "network.protocol.version",
  clientAddress: "client.address",
  clientPort: "client.port",
  serverAddress: "server.address",
  serverPort: "server.port",
} as const;

/** Operation name of tool calls. */
export const executeTool = "execute_tool";

/** Type of the error of a tool whose result has `isError`. */
export const toolError = "tool_error";

/** Type of the error of a request whose response cannot be read; the convention has none. */
export const invalidResponse = "invalid_response";

/** Value for unknown names: their number must be bounded. */
export const other = "_OTHER";

/** Names of the histograms, and their descriptions. */
export const histograms = {
  clientOperation: {
    name: "mcp.client.operation.duration",
    description: "Duration of a request or notification, from its sending to its response.",
  },
  serverOperation: {
    name: "mcp.server.operation.duration",
    description: "Duration of a request or notification, from its receipt to its response.",
  },
  clientSession: { name: "mcp.client.session.duration", description: "Duration of a session at the client." },
  serverSession: { name: "mcp.server.session.duration", description: "Duration of a session at the server." },
} as const;

/** Bounds of the buckets of all histograms, in seconds. */
export const bucketBoundaries: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
