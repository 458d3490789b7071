import { expect, test } from "vitest";
import { InputRequests } from "../../../tools/inspect/input-requests.ts";
import type { FormContext } from "../../../runtime/client/protocol-types.ts";
import { checkForm } from "../../../runtime/protocol/methods/elicitation-form.ts";

const requestedSchema = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };

const context: FormContext = {
  server: { info: {}, capabilities: {} },
  revision: "2025-11-25",
  requestId: 1,
  meta: {},
  signal: new AbortController().signal,
  progress: async () => {},
  check: (content) => checkForm(requestedSchema, { ...content }),
};

test.each([
  [[1], "no object"],
  ["text", "no object"],
  [undefined, "no object"],
  [{ count: "x" }, "incomplete"],
])("a form with the content %j stays open", async (content, problem) => {
  const requests = new InputRequests(() => {});
  const waiting = requests.wait("form", { requestedSchema }, context);
  expect(() => requests.respond(1, { response: { action: "accept", content } })).toThrow(problem);
  expect(requests.list).toHaveLength(1);
  requests.respond(1, { response: { action: "accept", content: { count: 1 } } });
  expect(await waiting).toEqual({ action: "accept", content: { count: 1 } });
  expect(requests.list).toEqual([]);
});
