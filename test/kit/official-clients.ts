import { Client as ClientOfV2, StreamableHTTPClientTransport as HttpOfV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioOfV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientOfV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioOfV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpOfV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as TransportOfV1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

/** Address of a server. */
export type Place =
  | { readonly kind: "stdio"; readonly command: string; readonly args: readonly string[]; readonly cwd?: string }
  | { readonly kind: "http"; readonly url: string };

/** An official client of either generation, connected, which responds to all requests and notes the notifications. */
export interface OfficialClient {
  readonly revision: string | undefined;
  /** Names of the notifications that came. */
  readonly received: readonly string[];
  call(name: string, args?: Record<string, unknown>, options?: OfficialCallOptions): Promise<unknown>;
  ping(): Promise<unknown>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  listResources(): Promise<unknown>;
  listResourceTemplates(): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  listPrompts(): Promise<unknown>;
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<unknown>;
  complete(params: {
    ref: { type: "ref/resource"; uri: string };
    argument: { name: string; value: string };
  }): Promise<unknown>;
  subscribeResource(params: { uri: string }): Promise<unknown>;
  unsubscribeResource(params: { uri: string }): Promise<unknown>;
  setLoggingLevel(level: "warning"): Promise<unknown>;
  close(): Promise<void>;
}

/** Signal and progress listener of a call. */
export interface OfficialCallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number }) => void;
}

/** Connects the official client of the first generation. */
export async function connectV1(place: Place): Promise<OfficialClient> {
  const client = new ClientOfV1(info, { capabilities });
  const received: string[] = [];
  client.setRequestHandler(CreateMessageRequestSchema, () => sampled);
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///home" }] }));
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "me" } }));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void received.push(params.level));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void received.push(params.uri));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void received.push("tools"));
  let revision: string | undefined;
  const transport =
    place.kind === "http"
      ? new HttpOfV1(new URL(place.url))
      : new StdioOfV1({ ...place, args: [...place.args], stderr: "ignore" });
  const setProtocolVersion = transport instanceof HttpOfV1 ? transport.setProtocolVersion.bind(transport) : () => {};
  const noting: TransportOfV1 = Object.assign(transport, {
    setProtocolVersion(version: string) {
      revision = version;
      setProtocolVersion(version);
    },
  });
  await client.connect(noting);
  return {
    ...pass(client),
    revision,
    received,
    call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, CallToolResultSchema, options),
    close: () => end(client, transport),
  };
}

/** Connects the official client of the second generation; `auto` looks for newer revisions first. */
export async function connectV2(place: Place, mode: "legacy" | "auto" = "legacy"): Promise<OfficialClient> {
  const client = new ClientOfV2(info, { capabilities, versionNegotiation: { mode } });
  const received: string[] = [];
  client.setRequestHandler("sampling/createMessage", () => sampled);
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///home" }] }));
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "me" } }));
  client.setNotificationHandler("notifications/message", ({ params }) => void received.push(params.level));
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void received.push(params.uri));
  client.setNotificationHandler("notifications/tools/list_changed", () => void received.push("tools"));
  const transport =
    place.kind === "http"
      ? new HttpOfV2(new URL(place.url))
      : new StdioOfV2({ ...place, args: [...place.args], stderr: "ignore" });
  await client.connect(transport);
  return {
    ...pass(client),
    revision: client.getNegotiatedProtocolVersion(),
    received,
    call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options),
    close: () => end(client, transport),
  };
}

const info = { name: "official", version: "1" };
const capabilities = { sampling: {}, roots: { listChanged: true }, elicitation: { form: {} } };
const sampled = {
  role: "assistant" as const,
  model: "m",
  content: { type: "text" as const, text: "42" },
};

/** Returns the members that both generations of the SDK share. */
function pass(client: ClientOfV1 | ClientOfV2): Omit<OfficialClient, "revision" | "received" | "call" | "close"> {
  return {
    ping: () => client.ping(),
    listTools: () => client.listTools(),
    listResources: () => client.listResources(),
    listResourceTemplates: () => client.listResourceTemplates(),
    readResource: (params) => client.readResource(params),
    listPrompts: () => client.listPrompts(),
    getPrompt: (params) => client.getPrompt(params),
    complete: (params) => client.complete(params),
    subscribeResource: (params) => client.subscribeResource(params),
    unsubscribeResource: (params) => client.unsubscribeResource(params),
    setLoggingLevel: (level) => client.setLoggingLevel(level),
  };
}

async function end(
  client: { close(): Promise<void> },
  transport: HttpOfV1 | HttpOfV2 | StdioOfV1 | StdioOfV2,
): Promise<void> {
  if ("terminateSession" in transport) await transport.terminateSession();
  await client.close();
}
