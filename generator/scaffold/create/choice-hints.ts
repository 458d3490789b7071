import type { Feature, Protection } from "../layer/choices.ts";
import type { Extra, SchemaLibrary, Service } from "./project-choices.ts";

/** Short explanations of the words of a choice, by word. */
export type Hints<Word extends string> = Readonly<Record<Word, string>>;

/** Explanations of each {@link Feature}, shown as hints in prompts. */
export const featureHints: Hints<Feature> = {
  tools: "functions that the model calls",
  resources: "texts and data that a host reads",
  prompts: "messages that the user chooses and fills in",
  "list-changed": "tools that come and go while clients are connected",
  input: "requests to the user or the model during a call: elicitation, sampling, roots",
  tasks: "calls that run in the background",
  skills: "folders of instructions for the model",
  apps: "views that a host shows for a tool's results",
};

/** Explanations of each {@link Service}, shown as hints in prompts. */
export const serviceHints: Hints<Service> = {
  stdio: "a program that the host starts on the user's machine",
  http: "a service with an address",
  both: "stdio, and HTTP with --http <port>",
  worker: "a function from Request to Response, for the edge",
};

/** Explanations of each {@link Protection}, shown as hints in prompts. */
export const protectionHints: Hints<Protection> = {
  none: "everybody who reaches it",
  oauth: "who has an access token of your authorization server",
  "api-key": "who knows a key that you gave them",
};

/** Examples of each {@link SchemaLibrary}, shown as hints in prompts. */
export const schemaHints: Hints<SchemaLibrary> = {
  zod: "z.object({ text: z.string() })",
  valibot: "v.object({ text: v.string() })",
  arktype: 'type({ text: "string" })',
  json: "plain JSON Schema, without a library",
};

/** Explanations of each {@link Extra}, shown as hints in prompts. */
export const extraHints: Hints<Extra> = {
  docker: "Dockerfile",
  ci: "a workflow of GitHub that tests every push",
  vscode: ".vscode/mcp.json",
  "claude-code": ".mcp.json",
  cursor: ".cursor/mcp.json",
  "claude-desktop": "claude_desktop_config.json, to copy from",
  registry: "server.json, for the MCP registry",
  mcpb: "manifest.json of an installable bundle",
  agents: "AGENTS.md, for coding agents that work on it",
};
