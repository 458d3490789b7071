import { describe, expect, test } from "vitest";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import type { ClientOptions } from "../../../../runtime/client/options.ts";
import type { ClientSession } from "../../../../runtime/client/session/client-session.ts";
import { createHttpHandler } from "../../../../runtime/server/run/http-handler.ts";
import { inputRequired } from "../../../../runtime/server/input/input-required.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { connectInMemory } from "../../../../runtime/testing/connect-to.ts";
import { formParams, type Context, type Run } from "./raw-client.ts";
import { rejectUnhandledRejections } from "../../../kit/unhandled-rejections.ts";
import { newest } from "../../../kit/revisions.ts";

/* Input requests of a session, which are requests to the client. */

rejectUnhandledRejections();

function connect(run: Run, options: Partial<ClientOptions<Declarations>>): Promise<ClientSession<Declarations>> {
  const tools = [{ name: "t", execute: run }];
  const server = createServer({ name: "test", version: "1", tools, onError() {} }, revisions);
  return connectInMemory<Declarations>(server, { revisions: [newest], ...options });
}

const forever = (): Promise<never> => new Promise(() => {});

const returned: Run = () =>
  inputRequired({
    inputRequests: {
      slow: { method: "elicitation/create", params: formParams("slow") },
      fast: { method: "elicitation/create", params: formParams("fast") },
    },
  });

describe("an input request that is open when its call ends", () => {
  const failed = (): never => {
    throw new Error("declined");
  };
  test.each<[string, Run]>([
    [
      "returns the first response",
      (_args, { elicit }) => Promise.race([elicit(formParams("slow")), elicit(formParams("fast"))]).then(() => "done"),
    ],
    [
      "fails",
      (_args, { elicit }) => Promise.all([elicit(formParams("slow")), elicit(formParams("fast")).then(failed)]),
    ],
    ["has returned it with one that fails", returned],
  ])("it is cancelled if the handler %s", async (_what, run) => {
    const cancelled: string[] = [];
    const session = await connect(run, {
      elicitation: {
        form({ message }, { signal }) {
          if (message === "fast") return run === returned ? failed() : { action: "decline" };
          signal.addEventListener("abort", () => cancelled.push(message));
          return forever();
        },
      },
    });
    await session.callTool("t").catch(() => {});
    await expect.poll(() => cancelled).toEqual(["slow"]);
    await session.close();
  });

  test("returned input requests are not sent if one of them cannot be", async () => {
    const requested: string[] = [];
    const params = { messages: [], maxTokens: 1 };
    const session = await connect(
      () =>
        inputRequired({
          inputRequests: {
            form: { method: "elicitation/create", params: formParams("?") },
            text: { method: "sampling/createMessage", params },
          },
        }),
      { elicitation: { form: ({ message }) => (requested.push(message), { action: "decline" }) } },
    );
    expect(await session.callTool("t")).toEqual(missing("sampling"));
    expect(requested).toEqual([]);
    await session.close();
  });

  const elicitation = { method: "elicitation/create", params: formParams("?") };
  const ways: readonly (readonly [string, Run])[] = [
    ["awaits", (_args, { elicit }) => elicit(formParams("?"))],
    ["returns", () => inputRequired({ inputRequests: { elicitation } })],
  ];
  const older = revisions.filter(({ lifecycle }) => lifecycle === "handshake");
  const cases = older.flatMap((revision) => ways.map(([way, run]) => ({ id: revision.id, way, revision, run })));

  test.each(cases)("a tool that $way a request has a readable result without its capability, at $id", async (given) => {
    const session = await connect(given.run, { revisions: [given.revision] });
    expect(await session.callTool("t")).toEqual(missing("elicitation"));
    await session.close();
  });

  const eliciting = older.filter(({ capabilities }) => capabilities.client.includes("elicitation"));

  test.each(eliciting)("a tool of a server without sessions names what is missing, at $id", async (revision) => {
    const run: Run = (_args, { elicit }) => elicit(formParams("?"));
    const server = createServer({ name: "a", version: "1", tools: [{ name: "t", execute: run }] }, [revision]);
    const handler = createHttpHandler(server, { sessions: false, allowedHosts: ["a.example"] });
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } };
    const response = await handler.fetch(
      new Request("https://a.example/", {
        method: "POST",
        headers: {
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "mcp-protocol-version": revision.id,
        },
        body: JSON.stringify(message),
      }),
    );
    expect(await response.text()).toContain(
      "The tool requires the client capability elicitation, which is declared in a session; this server runs without sessions",
    );
    await handler.close({ drain: 0 });
  });

  function missing(capability: string): object {
    const text = `The tool requires the client capability ${capability}`;
    return { content: [{ type: "text", text }], isError: true };
  }
});

describe("an input request that its handler does not await", () => {
  test.each<[string, (context: Context) => unknown]>([
    ["an elicitation", ({ elicit }) => elicit(formParams("?"))],
    ["a sampling request", ({ sample }) => sample("?")],
    ["a request for the roots", ({ roots }) => roots()],
  ])("%s that fails does not end the process", async (_what, request) => {
    const options = { elicitation: { form: forever }, sampling: { createMessage: forever }, roots: forever };
    const session = await connect((_args, context) => {
      void request(context);
      throw new Error("failed meanwhile");
    }, options);
    expect(await session.callTool("t")).toMatchObject({ isError: true });
    await session.close();
    await new Promise((resolve) => setTimeout(resolve));
  });
});
