import type { Offering, Protection } from "./layer/choices.ts";
import type { Extra, SchemaLibrary, Service } from "./project-choices.ts";

/** What a word means that a person may choose, in a few others. */
export type Hints<Word extends string> = Readonly<Record<Word, string>>;

/** @see {@link Offering} */
export const offeringHints: Hints<Offering> = {
  tools: "functions that the model calls",
  resources: "texts and data that a host reads",
  prompts: "messages that the user chooses and fills in",
  changes: "tools that come and go while clients are connected",
  questions: "to the user or the model, in the middle of a call: elicitation, sampling, roots",
  tasks: "calls that go on in the background",
  skills: "folders of instructions for the model",
  ui: "views that a host shows for a tool's results",
};

/** @see {@link Service} */
export const serviceHints: Hints<Service> = {
  stdio: "a program that the host starts on the user's machine",
  http: "a service with an address",
  both: "stdio, and HTTP with --http <port>",
  worker: "a function from Request to Response, for the edge",
};

/** @see {@link Protection} */
export const protectionHints: Hints<Protection> = {
  none: "everybody who reaches it",
  oauth: "who has an access token of your authorization server",
  "api-key": "who knows a key that you gave them",
};

/** @see {@link SchemaLibrary} */
export const schemaHints: Hints<SchemaLibrary> = {
  zod: "z.object({ text: z.string() })",
  valibot: "v.object({ text: v.string() })",
  arktype: 'type({ text: "string" })',
  json: "plain JSON Schema, without a library",
};

/** @see {@link Extra} */
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
