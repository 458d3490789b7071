import type { Revision } from "../../generated/support.ts";
import { RpcError } from "../../runtime/jsonrpc/errors.ts";
import { createServer, type Server } from "../../runtime/server/create-server.ts";
import { inputRequired } from "../../runtime/server/input/input-required.ts";
import type { AnyPrompt, AnyResource, AnyResourceTemplate, AnyTool } from "../../runtime/server/any-definition.ts";
import type { AnyContext } from "../../runtime/server/protocol-types.ts";
import type { Drawn } from "./draw.ts";

/** Log message of the server. */
export const logged = "something happened";

/** Bytes of the new kind of content, as base64. */
export const bytes = "AAEC";

/** Parts of a server's definition changed by a fictional revision. */
export interface Definition {
  readonly tools: readonly [AnyTool, ...AnyTool[]];
  readonly prompts: readonly [AnyPrompt];
  readonly resources: readonly [AnyResource];
  readonly resourceTemplates: readonly [AnyResourceTemplate];
}

/** Returns the members added to a type by the fictional revision. */
export function newMembers({ optional, required }: Drawn, type: string): object {
  const own = [...optional, required].filter((one) => one.type === type);
  return Object.fromEntries(own.map(({ member, value }) => [member, value]));
}

/** Log level requested by no client, unless it has another name now. */
export const leastSevere = "debug";

/** Value of the new method's param, rejected by its handler with the new error. */
export const rejected = "rejected";

/** Returns an item of the new method's result. */
export function foundItem(drawn: Drawn): object {
  const { item } = drawn.method;
  const own = item === "Resource" ? { uri: "test://a" } : item === "Tool" ? { inputSchema: { type: "object" } } : {};
  return { name: "a", ...own, ...newMembers(drawn, item) };
}

/** Defines a server with each feature of the fictional revision, served at each of the revisions. */
export function defineDrilled(drawn: Drawn, revisions: readonly Revision[]): Server {
  const { method, newError } = drawn;
  const find = (params: object): object => {
    if (Reflect.get(params, method.param) === rejected) throw new RpcError(newError.code, "Not now");
    return { matches: [{ item: foundItem(drawn), score: 1 }] };
  };
  const handlers = { [method.handler]: find };
  const head = { name: "drill", version: "1.0.0", ...newMembers(drawn, "Implementation"), onError: () => {} };
  return createServer({ ...head, ...defineParts(drawn), handlers }, revisions);
}

function defineParts(drawn: Drawn): Definition {
  const who = { ...newMembers(drawn, "PromptArgument") };
  const messages = [{ role: "user", content: { type: "text", text: "Hello", ...newMembers(drawn, "TextContent") } }];
  const get = (): object => ({ messages, ...newMembers(drawn, "GetPromptResult") });
  const greet = { name: "greet", ...newMembers(drawn, "Prompt"), arguments: { who }, get };
  const resource = { uri: "test://a", name: "a", ...newMembers(drawn, "Resource"), read: () => "text" };
  const template = {
    uriTemplate: "test://{id}/x",
    name: "t",
    ...newMembers(drawn, "ResourceTemplate"),
    read: () => "text",
  };
  return {
    tools: [defineShow(drawn), ...defineCallers(drawn)],
    prompts: [greet],
    resources: [resource],
    resourceTemplates: [template],
  };
}

/** Tool with the new members and the new kind of content. */
function defineShow(drawn: Drawn): AnyTool {
  const { content, enumValue } = drawn;
  const hasIcon = enumValue.type === "Icon";
  return {
    name: "show",
    ...newMembers(drawn, "Tool"),
    ...(hasIcon && { icons: [{ src: "https://example.org/a.png", theme: enumValue.to }] }),
    execute: () => ({
      content: [{ type: content.value, data: bytes, mimeType: content.mimeType }],
      ...newMembers(drawn, "CallToolResult"),
    }),
  };
}

/** Tools that send messages to the client. */
function defineCallers({ inputRequest, notification, logLevel, enumValue }: Drawn): readonly AnyTool[] {
  const includeContext = enumValue.type === "Icon" ? "none" : enumValue.to;
  const messages = [{ role: "user", content: { type: "text", text: "?" } }];
  return [
    {
      name: "log",
      async execute(_args, { log }) {
        if (logLevel.from !== leastSevere) await log(leastSevere, "less severe");
        await log(logLevel.to, logged);
        return "logged";
      },
    },
    {
      name: "notify",
      async execute(_args, { notify }) {
        await notify(notification.method, { [notification.param]: "b" });
        return "notified";
      },
    },
    {
      name: "locate",
      execute: (_args, { inputResponses }) =>
        inputResponses
          ? JSON.stringify(inputResponses)
          : inputRequired({ inputRequests: { here: { method: inputRequest.method, params: { accuracy: "fine" } } } }),
    },
    {
      name: "request",
      execute: async (_args, { request }) =>
        JSON.stringify(await callOf(request)(inputRequest.method, { accuracy: "fine" })),
    },
    {
      name: "consult",
      execute: async (_args, { sample }) =>
        JSON.stringify(await callOf(sample)({ messages, maxTokens: 1, includeContext })),
    },
    {
      name: "confirm",
      execute: async (_args, { elicit }) =>
        JSON.stringify(await callOf(elicit)("Sure?", { type: "object", properties: { sure: { type: "boolean" } } })),
    },
  ];
}

/** Returns a function of the context, whose types depend on the revision. */
function callOf(member: AnyContext["sample"]): (...args: readonly unknown[]) => unknown {
  if (typeof member !== "function") throw new Error("The context has no such function");
  return (...args) => member(...args);
}
