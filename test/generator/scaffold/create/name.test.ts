import { describe, expect, test } from "vitest";
import { readPackageName, suggestName } from "../../../../generator/scaffold/create/name.ts";

const taken = ["zod", "typescript"];

describe("a project's package name", () => {
  test.each(["my-server", "server2", "@me/server", "a", "a.b", "con-server", "a".repeat(64)])(
    "a package name may be %s",
    (name) => {
      expect(readPackageName({ folder: "/x/anything", name, taken })).toBe(name);
    },
  );

  test("a package name is the name of the folder by default", () => {
    expect(readPackageName({ folder: "/x/my-server", taken })).toBe("my-server");
  });

  test.each([
    ["capital letters", "MyServer", "myserver"],
    ["a space", "my server", "my-server"],
    ["a quote", 'a"b', "a-b"],
    ["a backtick and a brace", "a`${b}", "a-b"],
    ["path traversal", "../up", "up"],
    ["a slash", "a/b", "a-b"],
    ["a backslash", "a\\b", "a-b"],
    ["a leading dot", ".hidden", "hidden"],
    ["a leading dot in a scope", "@me/.hidden", "me-hidden"],
    ["a trailing dot", "demo.", "demo"],
    ["a leading underscore", "_private", "private"],
    ["a leading hyphen", "-rf", "rf"],
    ["accents", "é-café", "e-cafe"],
    ["an accent inside a word", "wörld", "world"],
    ["other scripts", "日本", "my-mcp-server"],
    ["nothing", "", "my-mcp-server"],
    ["dots only", "..", "my-mcp-server"],
    ["more than 64 characters", "a".repeat(65), "a".repeat(57)],
    ["a line break", "a\nb", "a-b"],
    ["a folder of npm", "node_modules", "node-modules"],
    ["a module of Node", "http", "http-server"],
    ["a device of Windows", "nul", "nul-server"],
    ["a device of Windows with extension", "com1.txt", "com1-txt"],
    ["one of its dependencies", "zod", "zod-server"],
    ["characters that URLs escape", "a!b'(c)*~", "a-b-c"],
  ])("a package name with %s is rejected and another is proposed (R60)", (_what, name, proposal) => {
    expect(() => readPackageName({ folder: "/x/y", name, taken })).toThrow(
      `Choose another, for example --name ${proposal}`,
    );
    expect(readPackageName({ folder: "/x/y", name: suggestName(name, taken), taken })).toBe(proposal);
  });

  test.each([
    ["/x/My Server", "my-server"],
    ["/x/zod", "zod-server"],
    ["/x/日本", "my-mcp-server"],
    ["/", "my-mcp-server"],
  ])("the package name of the folder %s is %s", (folder, name) => {
    expect(readPackageName({ folder, taken })).toBe(name);
  });
});
