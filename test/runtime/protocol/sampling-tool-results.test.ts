import { expect, test } from "vitest";
import { checkToolResults } from "../../../runtime/protocol/methods/sampling-tool-results.ts";

const words = { type: "text", text: "hi" };

function use(id: string): object {
  return { type: "tool_use", id, name: "t", input: {} };
}

function result(toolUseId: string): object {
  return { type: "tool_result", toolUseId, content: [] };
}

function user(...content: readonly object[]): object {
  return { role: "user", content };
}

function model(...content: readonly object[]): object {
  return { role: "assistant", content };
}

test.each<readonly [string, unknown]>([
  ["words", [user(words), model(words), user(words)]],
  ["content that is no list", [{ role: "user", content: words }]],
  ["a use and its result", [user(words), model(words, use("a")), user(result("a")), model(words)]],
  ["two uses, with results in another order", [model(use("a"), use("b")), user(result("b"), result("a"))]],
  ["one use after another", [model(use("a")), user(result("a")), model(use("a")), user(result("a"))]],
  [
    "blocks that are no lists",
    [
      { role: "assistant", content: use("a") },
      { role: "user", content: result("a") },
    ],
  ],
  ["no messages", []],
  ["messages that are no list", "none"],
  ["messages that are no objects", [null, "hi", { role: "user", content: [null, words] }]],
])("sampling is valid with %s (S-150)", (_, messages) => {
  expect(checkToolResults({ messages })).toBeUndefined();
});

const [each, last] = [
  "exactly one result for each tool use of the previous message",
  "a result for each tool use of the previous message",
];

test.each<readonly [string, readonly object[], number, string]>([
  ["results before other content", [model(use("a")), user(result("a"), words)], 1, "tool results only"],
  ["results after other content", [model(use("a")), user(words, result("a"))], 1, "tool results only"],
  ["a use without its result", [model(use("a"), use("b")), user(result("a"))], 1, each],
  ["a use with the result of another", [model(use("a")), user(result("b"))], 1, each],
  ["a use whose result comes too late", [model(use("a")), user(words), user(result("a"))], 1, each],
  ["a result without its use", [user(words), user(result("a"))], 1, each],
  ["a use with two results", [model(use("a")), user(result("a"), result("a"))], 1, each],
  ["two uses, one of them with two results", [model(use("a"), use("b")), user(result("a"), result("a"))], 1, each],
  ["two uses of one id", [model(use("a"), use("a")), user(result("a"))], 0, "tool uses with unique ids"],
  ["a use by the user", [user(use("a")), user(result("a"))], 0, "a message of the assistant"],
  ["a result by the model", [model(use("a")), model(result("a"))], 1, "a message of the user"],
  ["a use at the end", [user(words), model(use("a"))], 2, last],
  ["a use at the end that is no list", [{ role: "assistant", content: use("a") }], 1, last],
])("sampling is rejected with %s (S-150)", (_, messages, index, expected) => {
  expect(checkToolResults({ messages })).toEqual({ path: `messages/${index}`, expected });
});
