import { describe, expect, it } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { ConversionError, type Convert, type Loss } from "../../../generated/support.ts";
import {
  audio,
  callResult,
  cancelled,
  elicitation,
  elicited,
  first,
  form,
  june,
  march,
  november,
  rows,
  sampled,
  sampling,
  text,
  type Place,
} from "./convert-rows.ts";

describe("a conversion", () => {
  const cases = rows.flatMap((row) => row.at.map((revision) => ({ ...row, revision })));
  it.each(cases)("a conversion to $revision $rule", ({ revision, place, value, becomes, losses }) => {
    const convert = find(revision, place);
    expect(convert(value)).toEqual(becomes);
    expect(withLosses(convert, value)).toEqual({ value: becomes, losses: losses ?? [] });
  });

  it.each([
    ["an input required result", november, callResult, { resultType: "input_required", inputRequests: {} }],
    ["a task", june, callResult, { task: {} }],
    ["tools in a sampling", june, sampling, { messages: [], maxTokens: 1, tools: [] }],
    ["a tool call in a sampling", june, sampled, { content: { type: "tool_use" } }],
    ["two blocks in a sampling message", march, sampled, { content: [text, text] }],
    ["no block in a sampling message", first, sampled, { content: [] }],
    ["an elicitation by URL", june, elicitation, { mode: "url", url: "https://a.example", message: "?" }],
    ["several choices", june, elicitation, form({ a: { type: "array", items: { enum: [] } } })],
    ["several values", june, elicited, { action: "accept", content: { a: ["b"] } }],
    ["a cancellation of nothing", first, cancelled, { reason: "late" }],
  ])("a conversion rejects %s at %s with a sentence that names the reason", (_, revision, place, value) => {
    const convert = find(revision, place);
    expect(() => convert(value)).toThrow(ConversionError);
    expect(() => convert(value)).toThrow(new RegExp(`does not match revision ${String(revision)}: [A-Z].*\\.$`));
  });

  it("a conversion returns the same object if nothing changes, and shares unchanged parts otherwise", () => {
    const value = { content: [text], isError: true };
    expect(find(first, callResult)(value)).toBe(value);
    const changed = { content: [text, audio], structuredContent: undefined };
    expect(find(first, callResult)(changed)).toMatchObject({ content: [text, { type: "resource" }] });
    expect(changed.content[1]).toBe(audio);
  });

  it("a conversion never writes to a prototype (T26)", () => {
    const value: unknown = JSON.parse(
      '{"content":[{"type":"text","text":"a","__proto__":{"x":1}}],"resultType":"complete","__proto__":{"x":1}}',
    );
    const converted = find(first, callResult)(value);
    expect(Object.getPrototypeOf(converted)).toBe(Object.prototype);
    expect(JSON.stringify(converted)).toBe('{"content":[{"type":"text","text":"a"}],"__proto__":{"x":1}}');
  });

  it.each([undefined, null, 1, "text", [], true])("a conversion returns the invalid result %j unchanged", (value) => {
    expect(find(first, callResult)(value)).toBe(value);
  });

  it("the newest revision has no conversion", () => {
    expect(revisions.map(({ conversions }) => conversions !== undefined)).toEqual([false, true, true, true, true]);
  });
});

function find(revision: string | undefined, [table, method, part]: Place): Convert {
  const found = revisions.find(({ id }) => id === revision)?.conversions?.[table][method]?.[part];
  if (!found) throw new Error(`${String(revision)} has no conversion of the ${part} of ${method}.`);
  return found;
}

function withLosses(convert: Convert, value: unknown): { readonly value: unknown; readonly losses: readonly string[] } {
  const losses: Loss[] = [];
  const converted = convert(value, (loss) => losses.push(loss));
  return { value: converted, losses: losses.map(({ type, member, rule }) => `${type}.${member}: ${rule}`) };
}
