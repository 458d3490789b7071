import { expect, test } from "vitest";
import { MessageRedactor } from "../../../tools/replay/redact-message.ts";

/* Redaction of input requests, of responses to them, and of calls in sampled messages. */

const requestedSchema = {
  type: "object",
  properties: { account: { type: "string", default: "ann" } },
  required: ["account"],
};
const request = {
  method: "elicitation/create",
  params: { mode: "form", message: "Which account?", requestedSchema },
};

function redact(message: object, names: readonly string[] = []): unknown {
  return new MessageRedactor(names).redact({ jsonrpc: "2.0", id: 1, ...message });
}

test("an input request with the key of a secret keeps its members, and its samples are hidden", () => {
  const sampling = { method: "sampling/createMessage", params: { messages: [], maxTokens: 5 } };
  const inputRequests = { password: request, token: sampling, account: request };
  expect(redact({ result: { resultType: "input_required", inputRequests } })).toMatchObject({
    result: {
      inputRequests: {
        password: {
          method: "elicitation/create",
          params: {
            mode: "form",
            message: "Which account?",
            requestedSchema: {
              ...requestedSchema,
              properties: { account: { type: "string", default: "[redacted 1]" } },
            },
          },
        },
        token: sampling,
      },
    },
  });
});

test.each<[name: string, response: unknown]>([
  ["text", "hunter2"],
  ["a list", ["hunter2"]],
  ["content that is text", { action: "accept", content: "hunter2" }],
  ["content that is a list of blocks", { role: "assistant", model: "m", content: [{ type: "text", text: "hunter2" }] }],
  ["a member that no response has", { value: "hunter2" }],
  ["a response within a result", { result: { action: "accept", content: { text: "hunter2" } } }],
])("a response with the key of a secret is hidden when it is %s", (_name, response) => {
  const redacted = redact({ method: "tools/call", params: { name: "login", inputResponses: { password: response } } });
  expect(JSON.stringify(redacted)).not.toContain("hunter2");
});

test("a response with the key of a secret hides what the user enters", () => {
  const inputResponses = {
    password: { action: "accept", content: { account: "ann", type: "admin", age: 5 } },
    token: { role: "assistant", model: "m", content: { type: "text", text: "ann" } },
    secret: { roots: [{ uri: "file:///a" }] },
    account: { action: "accept", content: { account: "ann" } },
  };
  expect(redact({ method: "tools/call", params: { name: "login", inputResponses } })).toMatchObject({
    params: {
      inputResponses: {
        password: { action: "accept", content: { account: "[redacted 1]", type: "[redacted 2]", age: 0 } },
        token: { role: "assistant", model: "m", content: { type: "text", text: "[redacted 1]" } },
        secret: inputResponses.secret,
        account: inputResponses.account,
      },
    },
  });
});

test("members with these names in arguments are no input requests", () => {
  const given = { inputRequests: { password: { content: "x", method: "y" } } };
  expect(JSON.stringify(redact({ params: { name: "a", arguments: given } }))).not.toContain('"y"');
});

test.each([false, true])("given names apply to the input of a call in a sampled message (in a list: %s)", (isList) => {
  const use = { type: "tool_use", id: "1", name: "x", input: { customer: "Ann" } };
  const result = { role: "assistant", model: "m", content: isList ? [use] : use };
  expect(JSON.stringify(redact({ result }, ["customer"]))).toContain('"input":{"customer":"[redacted 1]"}');
});
