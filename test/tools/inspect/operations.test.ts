import { expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { runRequest } from "../../../tools/inspect/operations.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { openSession } from "../../runtime/client/session/session-wire.ts";

const capabilities = {
  tools: {},
  resources: { subscribe: true },
  prompts: {},
  completions: {},
  logging: {},
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};

test.each([
  ["tools/list", {}],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["prompts/list", {}],
  ["tools/call", { name: "a" }],
  ["tools/call", { name: "a", task: {} }],
  ["resources/read", { uri: "x:1" }],
  ["resources/subscribe", { uri: "x:1" }],
  ["prompts/get", { name: "a" }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "a" }, argument: { name: "b", value: "" } }],
  ["logging/setLevel", { level: "info" }],
  ["tasks/list", {}],
  ["tasks/get", { taskId: "1" }],
  ["tasks/result", { taskId: "1" }],
  ["tasks/cancel", { taskId: "1" }],
  ["ping", {}],
])("%s %j is cancelled while the server is silent", async (method, params) => {
  const spoken = revisions.filter(({ id }) => id === "2025-11-25");
  const { client, session } = await openSession({ revisions: spoken }, { revision: "2025-11-25", capabilities });
  const abort = new AbortController();
  let failure: unknown;
  runRequest(session, { method, params }, { signal: abort.signal }).catch((error: unknown) => (failure = error));
  await settle();
  abort.abort(new Error("cancelled by hand"));
  await settle();
  expect(failure).toEqual(expect.objectContaining({ message: "cancelled by hand" }));
  await client.close();
});
