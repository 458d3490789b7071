import { z } from "zod";
import { inputRequired, type ArgumentFlags } from "mcp-server-runtime";
import {
  definePrompt,
  defineTool,
  type Declarations,
  type PromptDefinition,
  type ToolDefinition,
} from "./mcp/index.ts";

type Elicit = Parameters<ToolDefinition["execute"]>[1]["elicit"];
type Form = Declarations["ElicitRequestFormParams"]["requestedSchema"];

function form(field: string, schema: Declarations["PrimitiveSchemaDefinition"] = { type: "string" }): Form {
  return { type: "object", properties: { [field]: schema }, required: [field] };
}

const capital: Declarations["CreateMessageRequest"]["params"] = {
  messages: [{ role: "user", content: { type: "text", text: "What is the capital of France?" } }],
  maxTokens: 100,
};

/**
 * Tools that need input of the client before they can return a result. In a stateless revision, the client repeats the call with the input
 * responses. Their keys are those of the conformance suite.
 */
export const inputRequiredTools: readonly ToolDefinition<unknown, unknown>[] = [
  defineTool({
    name: "test_input_required_result_elicitation",
    description: "Greets the user by name; keeps no request state, and uses the input response if there is one.",
    visible: ({ revision }) => revision >= "2026-07-28",
    execute(_args, { inputResponses }) {
      const name = readName(inputResponses?.user_name);
      if (name !== undefined) return `Hello, ${name}!`;
      const params = { message: "What is your name?", requestedSchema: form("name") };
      return inputRequired({ inputRequests: { user_name: { method: "elicitation/create", params } } });
    },
  }),
  defineTool({
    name: "test_input_required_result_sampling",
    description: "Asks the client's model for a capital.",
    async execute(_args, { sample }) {
      const { model } = await sample(capital, { key: "capital_question" });
      return `${model} has answered.`;
    },
  }),
  defineTool({
    name: "test_input_required_result_list_roots",
    description: "Counts the roots of the client.",
    async execute(_args, { roots }) {
      const folders = await roots({ key: "client_roots" });
      return `${folders.length} roots.`;
    },
  }),
  defineTool({
    name: "test_input_required_result_request_state",
    description: "Asks for a confirmation, and keeps its subject in the request state.",
    visible: asksForms,
    execute: (_args, { elicit }) => confirm(elicit),
  }),
  defineTool({
    name: "test_input_required_result_tampered_state",
    description: "Asks for a confirmation, and rejects a changed request state.",
    visible: asksForms,
    execute: (_args, { elicit }) => confirm(elicit),
  }),
  defineTool({
    name: "test_input_required_result_multiple_inputs",
    description: "Sends three input requests at once: to the user, the model and the client.",
    visible: asksForms,
    async execute(_args, { elicit, sample, roots }) {
      const [{ content }, { model }, folders] = await Promise.all([
        elicit({ message: "What is your name?", requestedSchema: form("name") }, { key: "user_name" }),
        sample(capital, { key: "greeting" }),
        roots({ key: "client_roots" }),
      ]);
      return `${content?.name} has ${folders.length} roots, and ${model} says hello.`;
    },
  }),
  defineTool({
    name: "test_input_required_result_multi_round",
    description: "Sends two input requests, one after the other.",
    visible: asksForms,
    async execute(_args, { elicit }) {
      const first = await elicit({ message: "What is your name?", requestedSchema: form("name") }, { key: "step1" });
      const message = `What is your favourite colour, ${first.content?.name}?`;
      const second = await elicit({ message, requestedSchema: form("color") }, { key: "step2" });
      return `${first.content?.name} likes ${second.content?.color}.`;
    },
  }),
  defineTool({
    name: "test_input_required_result_capabilities",
    description: "Asks the user, or else the model, depending on the capabilities of the client.",
    async execute(_args, { client, elicit, sample }) {
      if (client.capabilities.elicitation) return confirm(elicit);
      const { model } = await sample(capital);
      return `${model} has answered.`;
    },
  }),
];

/** A prompt that first requests input of the user. */
export const inputRequiredPrompts: readonly PromptDefinition<ArgumentFlags>[] = [
  definePrompt({
    name: "test_input_required_result_prompt",
    description: "A prompt that requests its context from the user.",
    visible: asksForms,
    async get(_args, { elicit }) {
      const about = z.object({ context: z.string() });
      const { content } = await elicit("What is it about?", about, { key: "user_context" });
      return `Consider this: ${content?.context}`;
    },
  }),
];

/** Checks a value of the client, like any other input. */
function readName(answer: unknown): string | undefined {
  const given = z.object({ action: z.literal("accept"), content: z.object({ name: z.string() }) }).safeParse(answer);
  return given.data?.content.name;
}

async function confirm(elicit: Elicit): Promise<string> {
  const { action, content } = await elicit("Is that right?", z.object({ ok: z.boolean() }), { key: "confirm" });
  return `state-ok: ${action}, ${content?.ok}`;
}

function asksForms({ revision }: { readonly revision: string }): boolean {
  return revision >= "2025-06-18";
}
