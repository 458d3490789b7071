import { isObject } from "../../generated/support.ts";
import type { SessionCallOptions } from "../../runtime/client/session/client-session.ts";
import type { DefaultClientSession } from "../../runtime/client/session/default-session.ts";

/** Request of the page at one session. */
export interface PageRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** True to send exactly these params, and nothing else. */
  readonly isRaw?: boolean;
}

/**
 * Sends a request of the page. Lists are read to their end, calls respond to input requests inside of results, and tasks are followed until they end.
 * A raw request is one message with the given params.
 */
export async function runRequest(
  session: DefaultClientSession,
  { method, params, isRaw }: PageRequest,
  options: SessionCallOptions,
): Promise<unknown> {
  const operation = isRaw === true ? undefined : operations.get(method);
  return operation ? operation(session, params, options) : session.request(method, params, withoutMeta(options));
}

type Operation = (
  session: DefaultClientSession,
  params: Readonly<Record<string, unknown>>,
  options: SessionCallOptions,
) => Promise<unknown>;

const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  [
    "tools/list",
    async (session, _none, options) => ({ tools: await session.listTools({ ...options, refresh: true }) }),
  ],
  [
    "resources/list",
    async (session, _none, options) => ({ resources: await session.listResources({ ...options, refresh: true }) }),
  ],
  [
    "resources/templates/list",
    async (session, _none, options) => ({
      resourceTemplates: await session.listResourceTemplates({ ...options, refresh: true }),
    }),
  ],
  [
    "prompts/list",
    async (session, _none, options) => ({ prompts: await session.listPrompts({ ...options, refresh: true }) }),
  ],
  ["tools/call", callTool],
  ["resources/read", (session, { uri }, options) => session.readResource(textOf(uri), { ...options, refresh: true })],
  [
    "resources/subscribe",
    async (session, { uri }, { signal }) => {
      await session.subscribe(textOf(uri), () => {}, signal ? { signal } : {});
      return {};
    },
  ],
  [
    "prompts/get",
    (session, { name, arguments: args }, options) => session.getPrompt(textOf(name), textsOf(args), options),
  ],
  ["completion/complete", (session, params, options) => session.complete(params, options)],
  [
    "logging/setLevel",
    async (session, { level }, options) => {
      await session.setLogLevel(textOf(level), options);
      return {};
    },
  ],
  ["tasks/list", async (session, _none, options) => ({ tasks: await session.listTasks(options) })],
  ["tasks/get", (session, { taskId }, options) => session.toolTask(textOf(taskId)).status(options)],
  ["tasks/cancel", (session, { taskId }, options) => session.toolTask(textOf(taskId)).cancel(options)],
  ["tasks/result", (session, { taskId }, options) => session.toolTask(textOf(taskId)).result(options)],
]);

async function callTool(
  session: DefaultClientSession,
  { name, arguments: args, task }: Readonly<Record<string, unknown>>,
  options: SessionCallOptions,
): Promise<unknown> {
  const given = isObject(args) ? args : undefined;
  if (!isObject(task)) return session.callTool(textOf(name), given, options);
  const { ttl } = task;
  const started = await session.callTool(textOf(name), given, {
    ...options,
    task: typeof ttl === "number" ? { ttl } : true,
  });
  return "taskId" in started ? { task: { taskId: started.taskId } } : started;
}

function withoutMeta({ meta: _meta, ...options }: SessionCallOptions): Omit<SessionCallOptions, "meta"> {
  return options;
}

/** Returns a text; an empty one for any other value. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textsOf(value: unknown): Record<string, string> {
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)])) : {};
}
