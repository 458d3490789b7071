import { InMemoryTaskMessageQueue, InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";

/** The official SDK's server with tools that run as tasks. */
export function createSdkTaskServer(): McpServer {
  const server = new McpServer(
    { name: "sdk", version: "1" },
    {
      capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore: new InMemoryTaskStore(),
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  );
  const say = (text: string): { content: [{ type: "text"; text: string }] } => ({ content: [{ type: "text", text }] });
  const register = (
    name: string,
    taskSupport: "required" | "optional",
    work: (elicit: () => Promise<string>) => Promise<string | undefined>,
  ): unknown =>
    server.experimental.tasks.registerToolTask(
      name,
      { execution: { taskSupport } },
      {
        async createTask({ taskStore, sendRequest }) {
          const task = await taskStore.createTask({ ttl: 60_000, pollInterval: 10 });
          const { taskId } = task;
          const params = {
            mode: "form" as const,
            message: "Go on?",
            requestedSchema: { type: "object" as const, properties: {} },
          };
          const elicit = async (): Promise<string> => {
            await taskStore.updateTaskStatus(taskId, "input_required", "asking");
            const request = { method: "elicitation/create" as const, params };
            // Its types leave out what its server needs to find the way.
            const options = { relatedTask: { taskId }, timeout: 60_000 };
            const { action } = await sendRequest(request, ElicitResultSchema, options);
            await taskStore.updateTaskStatus(taskId, "working");
            return action;
          };
          void work(elicit).then(async (text) => {
            if (text !== undefined) await taskStore.storeTaskResult(taskId, "completed", say(text));
          });
          return { task };
        },
        getTask: async ({ taskStore, taskId }) => taskStore.getTask(taskId),
        getTaskResult: async ({ taskStore, taskId }) => {
          const { content } = await taskStore.getTaskResult(taskId);
          return { content: Array.isArray(content) ? content : [] };
        },
      },
    );
  register("quick", "required", async () => "done");
  register("asks", "required", (elicit) => elicit());
  register("endless", "optional", () => new Promise(() => {}));
  return server;
}
