import { expect, test } from "vitest";
import { uniqueName } from "../../../generator/internal/unique-name.ts";
import { toFileName, toMemberName, toTypeName } from "../../../generator/typed-client/tool-schema/names.ts";

/* Names in code for names that strangers have chosen. */

test.each([
  ["get_user", "GetUser", "getUser", "get-user"],
  ["getUser", "GetUser", "getUser", "get-user"],
  ["get.user-by  id", "GetUserById", "getUserById", "get-user-by-id"],
  ["URL", "URL", "url", "url"],
  ["HTMLPage", "HTMLPage", "htmlPage", "htmlpage"],
  ["AList", "AList", "aList", "alist"],
  ["MD5sum", "MD5Sum", "md5Sum", "md5-sum"],
  ["getV2Items", "GetV2Items", "getV2Items", "get-v2-items"],
  ["3d.render", "N3DRender", "n3DRender", "3-d-render"],
  ["7", "N7", "n7", "7"],
  ["ünïcode", "Unicode", "unicode", "unicode"],
  ["ﬁnd", "Find", "find", "find"],
  ["日本語", "Unnamed", "unnamed", "unnamed"],
  ["", "Unnamed", "unnamed", "unnamed"],
  ["$a", "A", "a", "a"],
  ["A".repeat(1_100), "A".repeat(1_100), `a${"A".repeat(1_099)}`, "a".repeat(80)],
  [`${"a".repeat(79)}-b`, `A${"a".repeat(78)}B`, `${"a".repeat(79)}B`, `${"a".repeat(79)}-`],
])("names in code stand for the words of a name: %s", (name, type, member, file) => {
  expect([toTypeName(name), toMemberName(name), toFileName(name)]).toEqual([type, member, file]);
});

test("a name that is taken gets the first number that is not", () => {
  const taken = new Set(["a", "a2", "a3", "b"]);
  const isTaken = (name: string): boolean => taken.has(name);
  expect(["a", "b", "c"].map((name) => uniqueName(name, isTaken))).toEqual(["a4", "b2", "c"]);
});
