import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeTarget, readTarget } from "../../../tools/live/target.ts";

const folder = mkdtempSync(join(tmpdir(), "target-"));
const file = join(folder, "tools.json");
const script = join(folder, "server.mjs");
const spaced = join(folder, "My Server", "server.mjs");
const program = join(folder, "My Server", "server.exe");
mkdirSync(join(folder, "My Server"));
writeFileSync(spaced, "");
writeFileSync(program, "");
writeFileSync(file, "{}");
writeFileSync(script, "");

test.each([
  ["an address", ["https://example.org/mcp?key=s"], { kind: "url", url: new URL("https://example.org/mcp?key=s") }],
  ["a WebSocket", ["wss://example.org/mcp?key=s"], { kind: "websocket", url: new URL("wss://example.org/mcp?key=s") }],
  ["a port", ["tcp://example.org:4000"], { kind: "tcp", host: "example.org", port: 4000 }],
  ["a port at an address of IPv6", ["tcp://[::1]:4000/"], { kind: "tcp", host: "::1", port: 4000 }],
  ["a list of tools", [file], { kind: "file", path: file }],
  ["a program", ["serve"], { kind: "command", command: "serve", args: [] }],
  ["a program and its arguments", ["serve", "tools.json"], { kind: "command", command: "serve", args: ["tools.json"] }],
  ["a command line", [`serve "a b" 'c\\d'`], { kind: "command", command: "serve", args: ["a b", "c\\d"] }],
  ["a program in a folder with a space", [program], { kind: "command", command: program, args: [] }],
  [
    "a module in a folder with a space",
    [spaced],
    {
      kind: "command",
      command: process.execPath,
      args: [expect.stringMatching(/serve-module/), spaced],
      module: spaced,
    },
  ],
  ["a script in a command line", ["node server.js"], { kind: "command", command: "node", args: ["server.js"] }],
  [
    "a module with arguments",
    [script, "--flag"],
    {
      kind: "command",
      command: process.execPath,
      args: [expect.stringMatching(/serve-module/), script, "--flag"],
      module: script,
    },
  ],
] as const)("`readTarget` reads the words of a command line as %s", (_what, words, target) => {
  expect(readTarget(words)).toEqual(target);
});

test.each([
  [String.raw`node C:\Users\O'Brien\server.exe`, ["node", String.raw`C:\Users\O'Brien\server.exe`]],
  [String.raw`"C:\My Files\serve.exe" 'a b'`, [String.raw`C:\My Files\serve.exe`, "a b"]],
  [String.raw`serve "\\host\share\it's"`, ["serve", String.raw`\\host\share\it's`]],
])("backslashes and apostrophes are parts of paths on Windows: %s", (line, [command, ...args]) => {
  expect(readTarget([line], { platform: "win32" })).toEqual({ kind: "command", command, args });
});

test.each([
  ["no server", [], /no server is given; pass an address/],
  ["blanks", [" "], /no server is given/],
  ["an unknown scheme", ["ftp://example.org"], /is not the address of a server; use for example https/],
  ["an incomplete address", ["ws://"], /is not the address of a server/],
  ["TCP without a port", ["tcp://example.org"], /is not a TCP address; use tcp:\/\/HOST:PORT/],
  ["TCP with port 0", ["tcp://127.0.0.1:0"], /is not a TCP address/],
  ["TCP with a path", ["tcp://127.0.0.1:4000/mcp"], /is not a TCP address/],
  ["TCP with a user", ["tcp://me@127.0.0.1:4000"], /is not a TCP address/],
  ["TCP with arguments", ["tcp://127.0.0.1:4000", "x"], /unexpected arguments after the address \(x\)/],
  ["an address with arguments", ["http://example.org", "x"], /unexpected arguments after the address \(x\)/],
  ["a missing list of tools", ["absent.json"], /absent\.json does not exist/],
  ["a missing module", ["absent.ts"], /absent\.ts does not exist/],
  [
    "a variable in a command line",
    ["API_KEY=a serve"],
    /^the command begins with the variable API_KEY; pass --env API/,
  ],
  ["a variable before a command", ["API_KEY=a", "serve"], /^the command begins with the variable API_KEY; pass --env/],
  ["an open quote", ["serve 'a"], /an unclosed quote/],
] as const)("%s on the command line is rejected", (_what, words, says) => {
  expect(() => readTarget(words)).toThrow(says);
});

test.each([
  [["https://user:word@example.org/mcp?key=s"], "https://example.org/mcp"],
  [["wss://user:word@example.org/mcp?key=s"], "wss://example.org/mcp"],
  [["tcp://[::1]:4000"], "tcp://[::1]:4000"],
  [[script, "--key=s"], script],
  [["node", "dist/server.js", "--key=s"], "node dist/server.js"],
  [["node", "C:\\demo\\server.js", "--key=s"], "node C:\\demo\\server.js"],
  [["npx", "-y", "@scope/server", "secret"], "npx @scope/server"],
  [["node", "-e", 'login("secret")'], "node"],
  [["serve", "secret"], "serve"],
] as const)("`describeTarget` removes possible secrets from %j", (words, told) => {
  expect(describeTarget(readTarget(words))).toBe(told);
});
