import { expectTypeOf, test } from "vitest";
import type * as v2024 from "../../../generated/2024-11-05/index.ts";
import type * as v202503 from "../../../generated/2025-03-26/index.ts";
import type * as v202506 from "../../../generated/2025-06-18/index.ts";
import type * as v202511 from "../../../generated/2025-11-25/index.ts";
import type * as v2026 from "../../../generated/2026-07-28/index.ts";
import { createClient } from "../../../runtime/client/create-client.ts";
import type { ClientOptions } from "../../../runtime/client/options.ts";
import type { ClientSession } from "../../../runtime/client/session/client-session.ts";
import type { TaskHandle } from "../../../runtime/tasks/task-handle.ts";

const base = { info: { name: "c", version: "1" }, revisions: [] };

declare const on2024: ClientSession<v2024.Declarations>;
declare const on202506: ClientSession<v202506.Declarations>;
declare const on202511: ClientSession<v202511.Declarations>;
declare const on2026: ClientSession<v2026.Declarations>;

test("options fit the revision", () => {
  const cancel = (): { action: "cancel" } => ({ action: "cancel" });
  // @ts-expect-error elicitation came with 2025-06-18
  createClient<v202503.Declarations>({ ...base, elicitation: { form: cancel } });
  createClient<v202506.Declarations>({ ...base, elicitation: { form: cancel } });
  // @ts-expect-error pages came with 2025-11-25
  createClient<v202506.Declarations>({ ...base, elicitation: { url: cancel } });
  createClient<v202511.Declarations>({
    ...base,
    elicitation: { url: cancel, completed: (id) => expectTypeOf(id).toBeString() },
  });
  createClient<v2026.Declarations>({ ...base, elicitation: { form: cancel, url: cancel } });
  createClient<v202511.Declarations>({ ...base, roots: [{ uri: "file:///a", name: "a" }], logLevel: "info" });
  // @ts-expect-error there is no such level
  createClient<v202511.Declarations>({ ...base, logLevel: "loud" });
  // @ts-expect-error titles came with 2025-06-18
  createClient<v202503.Declarations>({ ...base, info: { ...base.info, title: "C" } });
});

test("handlers are typed by the revision", () => {
  const options: ClientOptions<v202511.Declarations> = {
    ...base,
    roots: ({ server, signal }) => {
      expectTypeOf(server.info).toEqualTypeOf<v202511.Implementation>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      return [{ uri: "file:///a" }];
    },
    sampling: {
      tools: true,
      createMessage: (params) => {
        expectTypeOf(params).toEqualTypeOf<v202511.CreateMessageRequestParams>();
        return { role: "assistant", model: "m", content: { type: "text", text: "" } };
      },
    },
    elicitation: {
      form: (params, { check }) => {
        expectTypeOf(params).toEqualTypeOf<v202511.ElicitRequestFormParams>();
        return check({}).length > 0 ? { action: "decline" } : { action: "accept", content: { a: ["x"] } };
      },
      url: (params) => {
        expectTypeOf(params.url).toBeString();
        return { action: "accept" };
      },
    },
    onLog: ({ level }) => expectTypeOf(level).toEqualTypeOf<v202511.LoggingLevel>(),
  };
  createClient(options);
  createClient<v202506.Declarations>({
    ...base,
    // @ts-expect-error choices of several came with 2025-11-25
    elicitation: { form: () => ({ action: "accept", content: { a: ["x"] } }) },
  });
  createClient<v202506.Declarations>({
    ...base,
    sampling: {
      // @ts-expect-error tools in sampling came with 2025-11-25
      tools: true,
      createMessage: () => ({ role: "assistant", model: "m", content: { type: "text", text: "" } }),
    },
  });
});

test("calls give the types of the revision", () => {
  expectTypeOf(on2024.listTools()).resolves.toEqualTypeOf<readonly v2024.Tool[]>();
  expectTypeOf(on202511.listTools()).resolves.toEqualTypeOf<readonly v202511.Tool[]>();
  expectTypeOf(on202511.callTool("a")).resolves.toEqualTypeOf<v202511.CallToolResult>();
  expectTypeOf(on202511.items("prompts")).toEqualTypeOf<AsyncGenerator<v202511.Prompt>>();
  expectTypeOf(on202511.pages("resources")).toEqualTypeOf<AsyncGenerator<v202511.ListResourcesResult>>();
  expectTypeOf(on202511.serverCapabilities.tools).toEqualTypeOf<{ listChanged?: boolean } | undefined>();
  void on202506.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" }, context: {} });
  // @ts-expect-error the context of completions came with 2025-06-18
  void on2024.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" }, context: {} });
  void on202511.setLogLevel("info");
  // @ts-expect-error there is no such level
  void on202511.setLogLevel("loud");
});

test("tools become tasks where the revision has them, and only on request (TK-07)", () => {
  const task = on202511.callTool("a", {}, { task: { ttl: 60_000 } });
  expectTypeOf(task).resolves.toEqualTypeOf<TaskHandle<v202511.CallToolResult>>();
  const options = { task: true, timeout: 5 } as const;
  expectTypeOf(on202511.callTool("a", {}, options)).resolves.toEqualTypeOf<TaskHandle<v202511.CallToolResult>>();
  expectTypeOf(on202511.callTool("a", {}, { timeout: 5 })).resolves.toEqualTypeOf<v202511.CallToolResult>();
  expectTypeOf(on202511.toolTask("id").result()).resolves.toEqualTypeOf<v202511.CallToolResult>();
  // @ts-expect-error tasks came with 2025-11-25
  void on202506.callTool("a", {}, { task: true });
  // @ts-expect-error tasks left the core with 2026-07-28
  void on2026.callTool("a", {}, { task: true });
  // @ts-expect-error tasks came with 2025-11-25
  createClient<v202506.Declarations>({ ...base, elicitation: { task: true } });
  createClient<v202511.Declarations>({ ...base, elicitation: { task: true }, tasks: { ttl: 60_000 } });
});

test("members that later revisions removed are missing", () => {
  void on202511.ping();
  void on202511.subscribe("a:b", () => {});
  // @ts-expect-error no ping in 2026-07-28
  void on2026.ping();
  // There it is a part of what is listened to.
  void on2026.subscribe("a:b", () => {});
  // @ts-expect-error no level for a session in 2026-07-28
  void on2026.setLogLevel("info");
});
