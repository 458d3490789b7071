/** Common part of the clients of all versions. */
export interface OlderClient {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    schema?: undefined,
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown>;
  readResource(params: { uri: string }): Promise<unknown>;
  close(): Promise<void>;
}

/** Common part of the servers of all versions. */
export interface OlderServer {
  setRequestHandler(schema: object, respond: (request: OlderRequest) => object): void;
  connect(transport: object): Promise<void>;
}

/** A request as handlers get it. */
export interface OlderRequest {
  readonly params: { readonly arguments?: Record<string, unknown> };
}

/** An official SDK of long ago. */
export interface OlderSdk {
  readonly Client: new (info: object, options: object) => OlderClient;
  readonly StdioClientTransport: new (command: object) => object;
  readonly Server: new (info: object, options: object) => OlderServer;
  readonly StdioServerTransport: new () => object;
  readonly ListToolsRequestSchema: object;
  readonly CallToolRequestSchema: object;
}

/** The SDKs that are installed, by the version in the names of their packages. */
export const olderSdks = ["0.5", "1.0", "1.17"] as const;

/** Loads one of them. Their types are those of other libraries, and need them all at once: so their names are known at run time only. */
export async function importOlderSdk(version: string): Promise<OlderSdk> {
  const parts = ["client/index.js", "client/stdio.js", "server/index.js", "server/stdio.js", "types.js"];
  const modules: readonly object[] = await Promise.all(parts.map((part) => import(`sdk-${version}/${part}`)));
  return Object.assign({}, ...modules);
}
