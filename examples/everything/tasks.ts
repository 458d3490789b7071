import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { RpcError } from "mcp-server-runtime";
import { defineTool, ToolError, type Declarations, type ToolDefinition } from "./mcp/index.ts";

const task = { pollInterval: 200 };

/** Tools whose calls run as tasks, one for each behaviour. Names and texts are those of the conformance suite. */
export const tasks: readonly ToolDefinition<unknown, unknown>[] = [
  defineTool({
    name: "greet",
    description: "Returns a greeting, never as a task.",
    inputSchema: z.object({ name: z.string() }),
    execute: ({ name }) => `Hello, ${name}!`,
  }),
  defineTool({
    name: "slow_compute",
    description: "Runs for a number of milliseconds.",
    inputSchema: z.object({ seconds: z.number(), label: z.string().optional() }),
    task,
    async execute({ seconds, label = "work" }, { signal }) {
      await sleep(seconds * 1_000, undefined, { signal });
      return `${label} is done.`;
    },
  }),
  defineTool({
    name: "failing_job",
    description: "Returns an error for the model, and only runs as a task.",
    task: { ...task, support: "required" },
    async execute() {
      await sleep(1_000);
      throw new ToolError("The job failed.");
    },
  }),
  defineTool({
    name: "protocol_error_job",
    description: "Ends with a protocol error.",
    task,
    async execute() {
      await sleep(100);
      throw new RpcError(-32603, "The job broke down.");
    },
  }),
  defineTool({
    name: "confirm_delete",
    description: "Requests input of the user while it runs.",
    visible: asksForms,
    inputSchema: z.object({ filename: z.string() }),
    task,
    async execute({ filename }, { elicit }) {
      const { content } = await elicit(`Delete ${filename}?`, z.object({ confirm: z.boolean() }));
      return content?.confirm ? `Deleted ${filename}.` : `Kept ${filename}.`;
    },
  }),
  defineTool({
    name: "multi_input",
    description: "Sends two input requests at once while it runs.",
    visible: asksForms,
    task,
    async execute(_args, { elicit }) {
      const answers = await Promise.all(["name", "colour"].map((field) => elicit(ask(field), { key: field })));
      return answers.map(({ content }, index) => `${index + 1}: ${JSON.stringify(content)}`).join(", ");
    },
  }),
  defineTool({
    name: "test_tool_with_task",
    description: "Asks the user for a name, and returns the greeting in a task.",
    visible: asksForms,
    inputSchema: z.object({ name: z.string().optional() }),
    task: {
      ...task,
      support: "required",
      async prepare(args, { elicit }) {
        const { content } = await elicit(ask("name", ["name"]), { key: "user_name" });
        return { ...args, name: String(content?.name) };
      },
    },
    execute: ({ name = "nobody" }) => `Hello, ${name}!`,
  }),
];

function ask(field: string, required: string[] = []): Declarations["ElicitRequestFormParams"] {
  const requestedSchema = { type: "object", properties: { [field]: { type: "string" } }, required } as const;
  return { message: `What is your ${field}?`, requestedSchema };
}

function asksForms({ revision }: { readonly revision: string }): boolean {
  return revision >= "2025-06-18";
}
