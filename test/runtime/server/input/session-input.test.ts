import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import type { ClientOptions } from "../../../../runtime/client/options.ts";
import type { ClientSession } from "../../../../runtime/client/session/client-session.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { connectInMemory } from "../../../../runtime/testing/connect-to.ts";
import { newest } from "../connected.ts";
import { question, type Context, type Run } from "./raw-client.ts";

/* Input requests of a session, which are requests to the client. */

const rejected: unknown[] = [];
const note = (reason: unknown): void => void rejected.push(reason);

beforeEach(() => void process.on("unhandledRejection", note));
afterEach(() => {
  process.removeListener("unhandledRejection", note);
  expect(rejected.splice(0)).toEqual([]);
});

function connect(run: Run, options: Partial<ClientOptions<Declarations>>): Promise<ClientSession<Declarations>> {
  const tools = [{ name: "t", execute: run }];
  const server = createServer({ name: "test", version: "1", tools, onError() {} }, revisions);
  return connectInMemory<Declarations>(server, { revisions: [newest()], ...options });
}

const forever = (): Promise<never> => new Promise(() => {});

describe("an input request that its handler does not await", () => {
  test.each<[string, (context: Context) => unknown]>([
    ["an elicitation", ({ elicit }) => elicit(question("?"))],
    ["a sampling request", ({ sample }) => sample("?")],
    ["a request for the roots", ({ roots }) => roots()],
  ])("%s that fails does not end the process", async (_what, ask) => {
    const options = { elicitation: { form: forever }, sampling: { createMessage: forever }, roots: forever };
    const session = await connect((_args, context) => {
      void ask(context);
      throw new Error("failed meanwhile");
    }, options);
    expect(await session.callTool("t")).toMatchObject({ isError: true });
    await session.close();
    await new Promise((resolve) => setTimeout(resolve));
  });
});
