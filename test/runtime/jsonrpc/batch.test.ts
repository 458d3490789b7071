import { describe, expect, test } from "vitest";
import { Batch, findBatchProblem, notInBatch } from "../../../runtime/jsonrpc/batch.ts";
import type { Message } from "../../../runtime/jsonrpc/message.ts";

describe("the problem of a batch", () => {
  test.each([
    ["a batch within the limit", [1, 2], true, undefined],
    ["a batch beyond the limit", [1, 2, 3], true, "A batch must not have more than 2 messages"],
    ["an empty batch", [], true, "A batch must not be empty"],
    ["a revision without batches", [1], false, "A message must be a JSON object; batches are not supported"],
  ])("the problem of %s", (_, values, batching, problem) => {
    expect(findBatchProblem(values, { batching, maxBatch: 2 })).toBe(problem);
  });

  test("a request that its revision excludes from batches is named", () => {
    expect(notInBatch("initialize")).toBe("initialize must not be part of a batch");
  });
});

describe("responses to a batch", () => {
  const reply = (id: number): Message => ({ jsonrpc: "2.0", id, result: {} });

  test.each([
    ["all members have one", ["add", "add"], [[reply(0), reply(1)]]],
    ["one member has none", ["add", "skip"], [[reply(0)]]],
    ["the last member has one", ["skip", "add"], [[reply(1)]]],
    ["no member has one", ["skip", "skip"], []],
    ["a member is not settled", ["add"], []],
  ])("responses are sent in one piece when %s", (_, steps, expected) => {
    const sent: (readonly Message[])[] = [];
    const batch = new Batch(2, (replies) => sent.push(replies));
    for (const [id, step] of steps.entries()) {
      if (step === "add") batch.add(reply(id));
      else batch.skip();
    }
    expect(sent).toEqual(expected);
  });
});
