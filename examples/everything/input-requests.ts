import { z } from "zod";
import { defineTool, type ToolDefinition } from "./mcp/index.ts";

/** Tools that send requests to the client while they run. */
export const inputRequestTools: readonly ToolDefinition<unknown, unknown>[] = [
  defineTool({
    name: "test_sampling",
    description: "Asks the client's model.",
    inputSchema: z.object({ prompt: z.string() }),
    async execute({ prompt }, { sample }) {
      return `LLM response: ${await sample(prompt, { maxTokens: 100 })}`;
    },
  }),
  defineTool({
    name: "test_elicitation",
    description: "Asks the user for a name and an address.",
    visible: ({ revision }) => revision >= "2025-06-18",
    inputSchema: z.object({ message: z.string() }),
    async execute({ message }, { elicit }) {
      const user = z.object({
        username: z.string().describe("Your name"),
        email: z.string().describe("Your email address"),
      });
      const { action, content } = await elicit(message, user);
      return `User response: action=${action}, content=${JSON.stringify(content ?? {})}`;
    },
  }),
  defineTool({
    name: "test_elicitation_sep1034_defaults",
    description: "Asks the user with a form that has default values.",
    visible: ({ revision }) => revision >= "2025-11-25",
    async execute(_args, { elicit }) {
      const user = z.object({
        name: z.string().default("John Doe"),
        age: z.int().default(30),
        score: z.number().default(95.5),
        status: z.enum(["active", "inactive", "pending"]).default("active"),
        verified: z.boolean().default(true),
      });
      const { action, content } = await elicit("Check what is filled in, and change what is wrong.", user);
      return `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`;
    },
  }),
  defineTool({
    name: "test_elicitation_sep1330_enums",
    description: "Asks the user to choose, with every kind of enum.",
    visible: ({ revision }) => revision >= "2025-11-25",
    async execute(_args, { elicit }) {
      const values = ["one", "two", "three"];
      const titled = values.map((value) => ({ const: value, title: `Number ${value}` }));
      const { action, content } = await elicit({
        message: "Choose.",
        requestedSchema: {
          type: "object",
          properties: {
            untitledSingle: { type: "string", enum: values },
            titledSingle: { type: "string", oneOf: titled },
            legacyEnum: { type: "string", enum: values, enumNames: titled.map(({ title }) => title) },
            untitledMulti: { type: "array", items: { type: "string", enum: values } },
            titledMulti: { type: "array", items: { anyOf: titled } },
          },
        },
      });
      return `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`;
    },
  }),
  defineTool({
    name: "test_roots",
    description: "Lists the roots of the client.",
    async execute(_args, { roots }) {
      const folders = await roots();
      return folders.map(({ uri }) => uri).join("\n") || "None.";
    },
  }),
];
