import { describe, expect, test } from "vitest";
import { quoteForShell } from "../../../../generator/internal/text.ts";
import { configsOfCommand } from "../../../../generator/scaffold/extras/host-files.ts";

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

test("a path of Windows is one string in the configuration of hosts", () => {
  const program = "C:\\Users\\Ann Lee\\demo\\dist\\server.js";
  const { claudeDesktop = "", vscode, cursor } = configsOfCommand({ name: "demo", program });
  const entry = { command: "node", args: ["--enable-source-maps", program] };
  expect(JSON.parse(claudeDesktop)).toEqual({ mcpServers: { demo: entry } });
  expect(JSON.parse(cursor)).toEqual({ mcpServers: { demo: entry } });
  expect(JSON.parse(vscode)).toEqual({ servers: { demo: { type: "stdio", ...entry } } });
});
