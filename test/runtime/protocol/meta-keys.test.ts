import { expect, test } from "vitest";
import { checkMeta, checkMetaKey } from "../../../runtime/protocol/session/meta-keys.ts";

test.each([
  "a",
  "a.b_c-d",
  "example.com/",
  "com.example/name",
  "com.example.mcp/x",
  "mcp/x",
  "a/x",
  "a1.b-2/x",
  "traceparent",
  "",
])("the _meta key %j is well-formed (M-03, M-04, B-003)", (key) => {
  expect(checkMetaKey(key)).toBeUndefined();
});

test.each([
  ["/a", ""],
  ["1a.b/c", "1a.b"],
  ["a..b/c", "a..b"],
  ["a-/c", "a-"],
  ["-a/c", "-a"],
  ["a b/c", "a b"],
  ["a/b/c", "a/b"],
  ["ä/b", "ä"],
])("the _meta key %j has an invalid prefix (M-03)", (key, prefix) => {
  expect(checkMetaKey(key)).toBe(`the prefix "${prefix}/" is not valid, use labels such as "com.example"`);
});

test.each(["_a", "a_", "com.example/-", "a b", "com.example/ü", "a."])(
  "the _meta key %j has an invalid name (M-04)",
  (key) => {
    expect(checkMetaKey(key)).toBe("a name must begin and end with a letter or a digit");
  },
);

test.each([
  ["modelcontextprotocol.io/a", "2025-06-18 (M-05)"],
  ["mcp.dev/a", "2025-06-18 (M-05)"],
  ["tools.mcp.com/a", "2025-06-18 (M-05)"],
  ["api.modelcontextprotocol.org/a", "2025-06-18 (M-05)"],
  ["dev.mcp/a", "2025-11-25 (M-06)"],
  ["com.mcp.tools/a", "2025-11-25 (M-06)"],
  ["org.modelcontextprotocol/a", "2025-11-25 (M-06)"],
  ["com.MCP/a", "2025-11-25 (M-06)"],
])("the _meta key %j is reserved since %s", (key) => {
  const [prefix] = key.split("/");
  expect(checkMetaKey(key)).toBe(`the prefix "${prefix}/" is reserved for the protocol`);
});

test("the _meta keys of the protocol's extensions may be written by their implementations (M-06)", () => {
  expect(checkMetaKey("io.modelcontextprotocol/ui")).toBeUndefined();
});

test("metadata is invalid if one of its keys is", () => {
  expect(checkMeta({ a: 1, "com.example/b": 2 })).toBeUndefined();
  expect(checkMeta({ a: 1, _b: 2 })).toBe(
    'the key "_b" of _meta is not valid: a name must begin and end with a letter or a digit',
  );
});
