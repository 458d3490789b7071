import { isObject } from "../../../generated/support.ts";
import type { ClientConnection } from "../../client/connect.ts";
import { readItems, readNextCursor, type Page, type PageParams } from "../../client/lists/pages.ts";
import { readParamHeaders, type ParamHeader } from "../../framing/param-headers.ts";
import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";
import { readKnownMember } from "../../protocol/revision/known-members.ts";

/** Tools of a server, as far as the gateway itself needs them. The list is read at first, and again when it has changed. */
export class ToolList {
  readonly #connection: () => ClientConnection;
  #tools: ReadonlyMap<unknown, KnownTool> = new Map();

  constructor(connection: () => ClientConnection) {
    this.#connection = connection;
  }

  async read(options: RequestOptions = {}): Promise<void> {
    const connection = this.#connection();
    if (connection.serverCapabilities.tools === undefined) return;
    const found = new Map<string, KnownTool>();
    const fetch = async (params: PageParams): Promise<ToolPage> =>
      toPage(await connection.request("tools/list", params, options));
    for await (const tool of readItems(fetch, ({ tools }) => tools)) {
      const { name, inputSchema } = tool;
      const execution = readKnownMember(tool, "Tool.execution", connection.revision);
      const support = isObject(execution) ? execution.taskSupport : undefined;
      if (typeof name === "string") found.set(name, { paramHeaders: toParamHeaders(inputSchema), support });
    }
    this.#tools = found;
  }

  /** Returns the arguments of a request which have to be in headers. */
  paramHeadersOf(method: string, params: unknown): readonly ParamHeader[] {
    return (method === "tools/call" ? this.#find(params)?.paramHeaders : undefined) ?? [];
  }

  /** Returns the task support of a tool, as the server declares it. */
  supportOf(params: unknown): unknown {
    return this.#find(params)?.support;
  }

  #find(params: unknown): KnownTool | undefined {
    return isObject(params) ? this.#tools.get(params.name) : undefined;
  }
}

interface KnownTool {
  readonly paramHeaders: readonly ParamHeader[];
  readonly support: unknown;
}

interface ToolPage extends Page {
  readonly tools: readonly Record<string, unknown>[];
}

/**
 * Returns the headers of a tool. With invalid marks, clients which would have to follow them leave the tool out; for others it is a tool without
 * marks.
 */
function toParamHeaders(inputSchema: unknown): readonly ParamHeader[] {
  try {
    return readParamHeaders(inputSchema);
  } catch {
    return [];
  }
}

function toPage(result: unknown): ToolPage {
  const page = isObject(result) ? result : {};
  return { tools: Array.isArray(page.tools) ? page.tools.filter(isObject) : [], ...readNextCursor(page) };
}
