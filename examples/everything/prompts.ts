import type { ArgumentFlags } from "mcp-server-runtime";
import { definePrompt, type PromptDefinition } from "./mcp/index.ts";
import { png } from "./samples.ts";

/** Prompts without and with arguments, and with every kind of content. */
export const prompts: readonly PromptDefinition<ArgumentFlags>[] = [
  definePrompt({
    name: "test_simple_prompt",
    description: "A prompt without arguments.",
    get: () => "This is a simple prompt for testing.",
  }),
  definePrompt({
    name: "test_prompt_with_arguments",
    description: "A prompt with two arguments.",
    arguments: {
      arg1: {
        description: "The first",
        required: true,
        complete: (typed) => ["testValue1", "tested", "other"].filter((value) => value.startsWith(typed)),
      },
      arg2: { description: "The second", required: true },
    },
    get: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  }),
  definePrompt({
    name: "test_prompt_with_embedded_resource",
    description: "A prompt with an embedded resource.",
    arguments: { resourceUri: { description: "URI of the resource", required: true } },
    get: ({ resourceUri }) => [
      {
        role: "user",
        content: {
          type: "resource",
          resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." },
        },
      },
      { role: "user", content: { type: "text", text: "Please process the embedded resource above." } },
    ],
  }),
  definePrompt({
    name: "test_prompt_with_image",
    description: "A prompt with an image.",
    get: () => [
      { role: "user", content: { type: "image", ...png } },
      { role: "user", content: { type: "text", text: "Please analyze the image above." } },
    ],
  }),
];
