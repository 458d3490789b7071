import { bytes, foundItem, leastSevere, logged, newMembers, rejected } from "./definition.ts";
import type { Drawn } from "./draw.ts";

/** Returns `src/definition.ts` of a project with each feature of the fictional revision: the server of `definition.ts`, with its types. */
export function definitionText(drawn: Drawn): string {
  const { method, inputRequest, content, logLevel } = drawn;
  const request = `{ method: ${quote(inputRequest.method)}, params: { accuracy: "fine" } }`;
  return `import {
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineServer,
  defineTool,
  inputRequired,
} from "./mcp/index.ts";

const show = defineTool({
  name: "show",
  ${membersText(drawn, "Tool")}${iconsText(drawn)}
  execute: () => ({
    content: [{ type: ${quote(content.value)}, data: ${quote(bytes)}, mimeType: ${quote(content.mimeType)} }],
    ${membersText(drawn, "CallToolResult")}
  }),
});

const log = defineTool({
  name: "log",
  async execute(_none, { log }) {
    ${logLevel.from === leastSevere ? "" : `await log(${quote(leastSevere)}, "less severe");`}
    await log(${quote(logLevel.to)}, ${quote(logged)});
    return "logged";
  },
});

const locate = defineTool({
  name: "locate",
  execute: (_none, { inputResponses }) =>
    inputResponses ? JSON.stringify(inputResponses) : inputRequired({ inputRequests: { here: ${request} } }),
});

const request = defineTool({
  name: "request",
  execute: async (_none, { request }) =>
    JSON.stringify(await request(${quote(drawn.inputRequest.method)}, { accuracy: "fine" })),
});

const consult = defineTool({
  name: "consult",
  async execute(_none, { sample }) {
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "?" } }];
    return JSON.stringify(await sample({ messages, maxTokens: 1, includeContext: ${contextText(drawn)} }));
  },
});

const greet = definePrompt({
  name: "greet",
  ${membersText(drawn, "Prompt")}
  arguments: { who: { ${membersText(drawn, "PromptArgument")} } },
  get: () => ({
    messages: [{ role: "user", content: { type: "text", text: "Hello", ${membersText(drawn, "TextContent")} } }],
    ${membersText(drawn, "GetPromptResult")}
  }),
});

const resource = defineResource({ uri: "test://a", name: "a", ${membersText(drawn, "Resource")} read: () => "text" });

const template = defineResourceTemplate({
  uriTemplate: "test://{id}/x",
  name: "t",
  ${membersText(drawn, "ResourceTemplate")}
  read: () => "text",
});

/** The server: everything that it offers. */
export const server = defineServer({
  name: "demo",
  version: "0.1.0",
  ${membersText(drawn, "Implementation")}
  tools: [show, log, locate, request, consult],
  prompts: [greet],
  resources: [resource],
  resourceTemplates: [template],
  handlers: {
    ${method.handler}({ ${method.param} }) {
      if (${method.param} === ${quote(rejected)})
        throw Object.assign(new Error("Not now"), { name: "RpcError", code: ${drawn.newError.code} });
      return { matches: [{ item: ${itemText(drawn)}, score: 1 }] };
    },
  },
});
`;
}

/** Returns a module of a project: a client's call of the new method. */
export function callerText({ method: { method, param } }: Drawn): string {
  return `import { connectStdio, createClient } from "./mcp/index.ts";

/** Returns the score of the best match. */
export async function find(text: string): Promise<number | undefined> {
  const client = createClient({ info: { name: "caller", version: "1.0.0" } });
  const server = { command: "node", args: ["dist/server.js"] };
  await using session = await client.connect((options) => connectStdio(server, options));
  const { matches } = await session.request(${quote(method)}, { ${param}: text });
  // @ts-expect-error: a match has no such member.
  matches[0]?.other;
  return matches[0]?.score;
}
`;
}

function membersText(drawn: Drawn, type: string): string {
  return Object.entries(newMembers(drawn, type))
    .map(([name, value]) => `${name}: ${quote(value)},`)
    .join(" ");
}

function iconsText({ enumValue }: Drawn): string {
  return enumValue.type === "Icon"
    ? `icons: [{ src: "https://example.org/a.png", theme: ${quote(enumValue.to)} }],`
    : "";
}

function contextText({ enumValue }: Drawn): string {
  return quote(enumValue.type === "Icon" ? "none" : enumValue.to);
}

function itemText(drawn: Drawn): string {
  return quote(foundItem(drawn));
}

function quote(value: unknown): string {
  return JSON.stringify(value);
}
