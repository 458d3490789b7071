import { describe, expect, test } from "vitest";
import { quoteForShell } from "../../../../generator/internal/text.ts";
import { configsOfAddress, configsOfCommand, desktopConfig } from "../../../../generator/scaffold/extras/host-files.ts";
import { emitPlugin } from "../../../../generator/scaffold/extras/plugin-files.ts";

describe("arguments of commands in the documentation", () => {
  test.each([
    ["C:\\code\\demo\\dist\\server.js", "C:\\code\\demo\\dist\\server.js"],
    ["C:\\My Projects\\demo", '"C:\\My Projects\\demo"'],
    ["C:\\a&b", '"C:\\a&b"'],
    ["C:\\a,b", '"C:\\a,b"'],
    ["O'Brien", '"O\'Brien"'],
    ["", '""'],
    ["C:\\My Projects\\", '"C:\\My Projects\\\\"'],
    ['say "hi"\\', '"say \\"hi\\"\\\\"'],
    ['a \\"', '"a \\\\\\""'],
  ])("an argument is quoted on Windows for both of its shells: %s", (word, quoted) => {
    expect(quoteForShell(word, "win32")).toBe(quoted);
  });

  test.each([
    ["/home/me/demo", "/home/me/demo"],
    ["/home/My Projects", "'/home/My Projects'"],
    ["O'Brien", String.raw`'O'\''Brien'`],
    ["C:\\demo", "'C:\\demo'"],
  ])("an argument is quoted on other systems for POSIX shells: %s", (word, quoted) => {
    expect(quoteForShell(word, "linux")).toBe(quoted);
  });
});

test("a path of Windows is one string in the configuration of a host", () => {
  const program = "C:\\Users\\Ann Lee\\demo\\dist\\server.js";
  const entry = { command: "node", args: ["--enable-source-maps", program] };
  expect(JSON.parse(desktopConfig({ name: "demo", program }))).toEqual({ mcpServers: { demo: entry } });
});

test("every host gets a name without the dots of a package", () => {
  const name = "my.server";
  const { claudeDesktop = "", ...started } = configsOfCommand({ name });
  const reached = configsOfAddress({ name, url: "http://127.0.0.1:3000/mcp", isKeyed: false });
  const plugin = emitPlugin({ packageName: name, hostName: name, isStarted: true, isKeyed: false, variables: [] });
  for (const text of [claudeDesktop, started.cursor, reached.cursor, plugin["plugin/.claude-plugin/plugin.json"] ?? ""])
    expect(Object.keys(JSON.parse(text).mcpServers)).toEqual(["my-server"]);
  for (const { vscode, claudeCode } of [started, reached]) {
    expect(Object.keys(JSON.parse(vscode).servers)).toEqual(["my-server"]);
    expect(claudeCode).toMatch(/ my-server /);
  }
});
