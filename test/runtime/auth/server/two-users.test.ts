import { afterEach, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject } from "../../../../generated/support.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { initialized, meta, request } from "../../../kit/messages.ts";
import type { Context } from "../../server/input/raw-client.ts";
import { acceptBoth, call, initialize } from "../../../kit/http-exchange.ts";

/* Two users of one server over HTTP: what belongs to one is nothing to the other, whatever the other knows about it. */

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

type Headers = Readonly<Record<string, string>>;

interface HttpResponse {
  readonly status: number;
  readonly text: string;
  /** The response; of a stream the last message. */
  readonly message: Readonly<Record<string, unknown>>;
}

interface User {
  send(body: object, headers?: Headers): Promise<HttpResponse>;
  get(headers: Headers): Promise<Response>;
  /** Headers of a new session. */
  open(): Promise<Headers>;
}

async function start(): Promise<{ readonly alice: User; readonly bob: User }> {
  const server = createServer(
    {
      name: "shared",
      version: "1",
      tasks: {},
      tools: [
        {
          name: "ask",
          async execute(_args, { elicit }: Context) {
            const properties = { pin: { type: "string" } } as const;
            const { content } = await elicit({ message: "PIN?", requestedSchema: { type: "object", properties } });
            return `secret of ${String(content?.pin)}`;
          },
        },
        { name: "work", task: true, execute: () => "work of alice" },
        {
          name: "tell",
          async execute(_args, { progress }: Context) {
            await progress(1);
            return "told to alice";
          },
        },
      ],
      onError: () => {},
    },
    revisions,
  );
  const authenticate = (head: { header(name: string): string | undefined }): { principal: string } => ({
    principal: head.header("authorization") ?? "",
  });
  const { url, close } = await serveHttp(server, { responseMode: "sse", authenticate });
  ends.push(close);
  return { alice: createUser(url, "alice"), bob: createUser(url, "bob") };
}

function createUser(url: string, name: string): User {
  const fields = { authorization: name, accept: acceptBoth, "content-type": "application/json" };
  const send = async (body: object, headers: Headers = {}): Promise<HttpResponse> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...fields, ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const lines = text.startsWith("{") ? [text] : [...text.matchAll(/^data: (.+)$/gm)].map(([, line = ""]) => line);
    const message: unknown = JSON.parse(lines.at(-1) ?? "{}");
    return { status: response.status, text, message: isObject(message) ? message : {} };
  };
  return {
    send,
    get: (headers) => fetch(url, { headers: { ...fields, accept: "text/event-stream", ...headers } }),
    async open() {
      const body = JSON.stringify(initialize("2025-11-25", { elicitation: {} }));
      const response = await fetch(url, { method: "POST", headers: fields, body });
      await response.text();
      const headers = { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
      await send(initialized, headers);
      return headers;
    },
  };
}

test("a stream cannot be resumed by another user, neither in the session of its owner nor in the other's own (R38, R41)", async () => {
  const { alice, bob } = await start();
  const [hers, his] = [await alice.open(), await bob.open()];
  const told = await alice.send(call(1, "tell", {}, { progressToken: 1 }), hers);
  const [, id = ""] = /^id: (.+)$/m.exec(told.text) ?? [];
  expect(told.text).toContain("told to alice");
  expect(id).not.toBe("");
  for (const [session, status] of [
    [hers, 404],
    [his, 400],
  ] as const) {
    const toResult = await bob.get({ ...session, "last-event-id": id });
    expect(toResult.status).toBe(status);
    expect(await toResult.text()).not.toContain("told");
  }
});

test("a requestState is rejected for another user (R49)", async () => {
  const { alice, bob } = await start();
  const elicitation = { [meta.capabilities]: { elicitation: {} } };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "ask" };
  const first = await alice.send(request(1, "tools/call", { name: "ask" }, elicitation), headers);
  const { requestState, inputRequests } = Object(first.message.result);
  const inputResponse = { action: "accept", content: { pin: "1234" } };
  const inputResponses = Object.fromEntries(Object.keys(Object(inputRequests)).map((key) => [key, inputResponse]));
  const again = request(2, "tools/call", { name: "ask", requestState, inputResponses }, elicitation);
  expect(requestState).toEqual(expect.any(String));
  expect((await bob.send(again, headers)).message).toMatchObject({ error: { code: -32602 } });
  expect((await alice.send(again, headers)).text).toContain("secret of 1234");
});

test("a task is unknown to another user, and in no list of theirs (R48)", async () => {
  const { alice, bob } = await start();
  const [hers, his] = [await alice.open(), await bob.open()];
  const started = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "work", task: {} } };
  const { taskId } = Object(Object((await alice.send(started, hers)).message.result).task);
  expect(taskId).toEqual(expect.any(String));
  for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
    const toResult = await bob.send({ jsonrpc: "2.0", id: 2, method, params: { taskId } }, his);
    expect(toResult.message, method).toMatchObject({ error: { code: -32602 } });
    expect(toResult.text).not.toContain("work");
  }
  const listed = { jsonrpc: "2.0", id: 3, method: "tasks/list" };
  expect((await bob.send(listed, his)).message).toMatchObject({ result: { tasks: [] } });
  expect((await alice.send(listed, hers)).message).toMatchObject({ result: { tasks: [{ taskId }] } });
});

test("an input request of a user accepts no response of another user", async () => {
  const { alice, bob } = await start();
  const [hers, his] = [await alice.open(), await bob.open()];
  const pending = alice.send(call(1, "ask"), hers);
  const toResult = (pin: string): object => ({
    jsonrpc: "2.0",
    id: 1,
    result: { action: "accept", content: { pin } },
  });
  expect((await bob.send(toResult("bob's"), hers)).status).toBe(404);
  expect((await bob.send(toResult("bob's"), his)).status).toBe(202);
  await expect.poll(async () => (await alice.send(toResult("1234"), hers)).status).toBe(202);
  expect((await pending).text).toContain("secret of 1234");
});
