import { createAjvValidator } from "../../../../runtime/adapters/ajv.ts";
import { page } from "../features.ts";
import { resultEvent, respondEvents, type ScriptedServer } from "../../../kit/scripted-server.ts";
import type { CheckValue, Scenario } from "../scenario.ts";
import { callsOf, toEvent, type ClientScene } from "./scripted.ts";

/** Scenarios about results of tools, and about pages that the user is sent to. */
export const resultScenarios: readonly Scenario<ClientScene>[] = [
  {
    id: "sep-2106-structured-content",
    side: "client",
    revisions: ["2026-07-28"],
    clause: { page: "2026-07-28/server/tools#structured-content", sep: 2106 },
    async run({ check, serve, connect }) {
      const values: Readonly<Record<string, unknown>> = { list: [1, 2], number: 42, nothing: null, wrong: "text" };
      const schemas = {
        list: { type: "array", items: { type: "number" } },
        number: { type: "number" },
        nothing: { type: "null" },
        wrong: { type: "number" },
      };
      const server = await serve({
        methods: {
          "tools/list": () => ({
            tools: Object.entries(schemas).map(([name, outputSchema]) => ({
              name,
              inputSchema: { type: "object" },
              outputSchema,
            })),
          }),
          "tools/call": ({ message: { params = {} } }) => ({
            content: [],
            structuredContent: values[String(params.name)],
          }),
        },
      });
      const session = await connect(server.url, { validator: createAjvValidator() });
      check(
        "output schemas of every type are listed",
        await session.listTools(),
        Object.entries(schemas).map(([name, outputSchema]) => ({ name, outputSchema })),
      );
      for (const name of ["list", "number", "nothing"]) {
        const { structuredContent }: { readonly structuredContent?: unknown } = await session.callTool(name);
        check(`structured content: ${name}`, structuredContent, values[name]);
      }
      const wrong: unknown = await session.callTool("wrong").catch((error: unknown) => error);
      check("content that does not fit the schema is an error", wrong, { name: "ToolOutputError" });
    },
  },
  {
    id: "elicitation-url",
    side: "client",
    revisions: ["2025-11-25"],
    clause: { page: "2025-11-25/client/elicitation#safe-url-handling", sep: 1036 },
    async run({ check, serve, connect }) {
      const responses: unknown[] = [];
      let end: (() => unknown) | undefined;
      const server = await serve({
        first({ message }, response) {
          if (message.id === undefined || message.method !== undefined) return false;
          responses.push(message);
          response.writeHead(202).end();
          end?.();
          return true;
        },
        methods: {
          "tools/call": ({ message: { id } }, response) => {
            const params = { ...page, url: `http://${response.req.headers.host}/sign-in`, elicitationId: "page-1" };
            respondEvents(response, toEvent({ id: "ask", method: "elicitation/create", params }));
            end = () => response.end(resultEvent(id, { content: [] }));
            return undefined;
          },
        },
      });
      const { requested, elicitation } = acceptPages();
      const session = await connect(server.url, { elicitation });
      check("the client declares the mode", callsOf(server, "initialize")[0]?.message.params, {
        capabilities: { elicitation: { url: {}, form: undefined } },
      });
      await session.callTool("anything");
      check("the program gets the page", requested, [
        { mode: "url", message: page.message, url: /sign-in$/, elicitationId: "page-1" },
      ]);
      check("the response has an action, and no content", responses, [
        { id: "ask", result: { action: "accept", content: undefined } },
      ]);
      checkUnread(check, server);
      responses.length = 0;
      const formsOnly = await connect(server.url, { elicitation: { form: () => ({ action: "cancel" }) } });
      await formsOnly.callTool("anything");
      check("a client without the mode rejects the request", responses, [{ id: "ask", error: { code: -32602 } }]);
    },
  },
  {
    id: "elicitation-url",
    side: "client",
    revisions: ["2026-07-28"],
    clause: { page: "2026-07-28/client/elicitation#url-mode-elicitation-requests", sep: 1036 },
    async run({ check, serve, connect }) {
      const server = await serve({
        methods: {
          "tools/call": ({ message }, response) => {
            if (message.params?.inputResponses !== undefined) return { content: [] };
            const params = { ...page, url: `http://${response.req.headers.host}/sign-in` };
            const inputRequests = { page: { method: "elicitation/create", params } };
            return { resultType: "input_required", inputRequests, requestState: "state-1" };
          },
        },
      });
      const { requested, elicitation } = acceptPages();
      const session = await connect(server.url, { elicitation });
      check("the call has its result in the end", await session.callTool("anything"), { content: [] });
      const [first, second] = callsOf(server, "tools/call");
      check("a request declares the mode", first?.message.params, {
        _meta: { "io.modelcontextprotocol/clientCapabilities": { elicitation: { url: {}, form: undefined } } },
      });
      check("the program gets the page", requested, [{ mode: "url", message: page.message, url: /sign-in$/ }]);
      check("the next request has the response, without content, and the state", second?.message.params, {
        inputResponses: { page: { action: "accept", content: undefined } },
        requestState: "state-1",
      });
      checkUnread(check, server);
    },
  },
];

/** Returns the handler of a program that accepts every page, and the parameters that it got. */
function acceptPages(): {
  readonly requested: readonly unknown[];
  readonly elicitation: { url(params: unknown): object };
} {
  const requested: unknown[] = [];
  const url = (params: unknown): object => {
    requested.push(params);
    return { action: "accept", content: { never: "sent" } };
  };
  return { requested, elicitation: { url } };
}

function checkUnread(check: CheckValue, { requests }: ScriptedServer): void {
  check(
    "the client does not read the page",
    requests.filter(({ path }) => path !== "/mcp"),
    [],
  );
}
