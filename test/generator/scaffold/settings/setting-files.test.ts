import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import type { ServerSetting } from "../../../../generator/scaffold/settings/read-settings.ts";
import { readListedSettings } from "../../../../generator/scaffold/settings/readme-table.ts";
import {
  editSettingFile,
  settingFiles,
  type SettingChange,
} from "../../../../generator/scaffold/settings/setting-files.ts";

const folder: ServerSetting = {
  name: "NOTES_FOLDER",
  type: "string",
  description: "Folder of the notes",
  isRequired: true,
  isSecret: false,
};
const limit: ServerSetting = { name: "LIMIT", type: "integer", isRequired: false, isSecret: false, default: "20" };
const key: ServerSetting = { name: "KEY", type: "string", description: "A key", isRequired: true, isSecret: true };
const hint: ServerSetting = { name: "HINT", type: "string", isRequired: false, isSecret: true, default: "hidden" };
const all: SettingChange = { settings: [folder, limit, key, hint], removed: [] };

const host = (member: string): string =>
  JSON.stringify({
    [member]: {
      notes: { command: "node", args: ["--enable-source-maps", "/notes/dist/server.js"], env: { API_URL: "x" } },
      other: { command: "npx", args: ["other"] },
    },
  });

const samples: Readonly<Record<string, string>> = {
  "README.md": "# notes\n\n## Run\n\nText.\n\n## Test\n\nMore.\n",
  "server.json": JSON.stringify({
    name: "io.github.you/notes",
    packages: [{ identifier: "notes", environmentVariables: [{ name: "API_URL" }], transport: { type: "stdio" } }],
  }),
  "manifest.json": JSON.stringify({
    name: "notes",
    server: { mcp_config: { command: "node", env: { API_URL: "x" } } },
  }),
  ".mcp.json": host("mcpServers"),
  ".cursor/mcp.json": host("mcpServers"),
  "claude_desktop_config.json": host("mcpServers"),
  "plugin/.claude-plugin/plugin.json": JSON.stringify({
    name: "notes",
    mcpServers: { notes: { command: "npx", args: ["-y", "notes"], env: { API_URL: "x" } }, other: { url: "x" } },
  }),
  ".vscode/mcp.json": host("servers"),
  ".env.example": "MINE=1\n",
  Dockerfile: 'FROM node AS build\nCMD ["build"]\nFROM node\nUSER node\nCMD ["node", "dist/server.js"]\n',
};

function edit(path: string, change: SettingChange, text = samples[path] ?? ""): string {
  return settingFiles[path]?.(text, change) ?? "";
}

describe("files that list the settings of a server", () => {
  it("a sample exists for each file", () => {
    expect(Object.keys(samples).sort()).toEqual(Object.keys(settingFiles).sort());
  });

  it.each(Object.keys(samples))("%s lists settings once, and is restored when all are removed", (path) => {
    const once = edit(path, all);
    expect(once).not.toBe(samples[path]);
    expect(edit(path, all, once)).toBe(once);
    const names = all.settings.map(({ name }) => name);
    const without = edit(path, { settings: [], removed: names }, once);
    for (const name of names) expect(without).not.toContain(name);
    if (path.endsWith(".json")) expect(JSON.parse(without)).toEqual(JSON.parse(samples[path] ?? ""));
  });

  it.each(Object.keys(samples))("%s never shows the default of a secret", (path) => {
    expect(edit(path, all)).not.toContain("hidden");
  });

  it("the README has a table before the section about tests, from which the names can be read again", () => {
    const text = edit("README.md", all);
    expect(text.indexOf("## Settings")).toBeLessThan(text.indexOf("## Test"));
    expect(text).toMatch(/\| `NOTES_FOLDER` \| Folder of the notes +\| required +\|/);
    expect(text).toMatch(/\| `LIMIT` +\| +\| `20` +\|/);
    expect(readListedSettings(text)).toEqual(["NOTES_FOLDER", "LIMIT", "KEY", "HINT"]);
  });

  it.each(Object.keys(samples))("%s keeps CRLF line endings", (path) => {
    const text = `${samples[path]?.trimEnd()}\n`.replaceAll("\n", "\r\n");
    const edited = editSettingFile(path, text, all) ?? "";
    expect(edited).toBe(edit(path, all, text.replaceAll("\r\n", "\n")).replaceAll("\n", "\r\n"));
    expect(editSettingFile(path, edited, all)).toBe(edited);
  });

  it.each([
    ["with CRLF line endings", (text: string) => text.replaceAll("\n", "\r\n")],
    ["without a line break at its end", (text: string) => text.slice(0, text.indexOf("\n\n## Test"))],
  ])("the names are read again from a README %s", (_what, change) => {
    expect(readListedSettings(change(edit("README.md", all)))).toEqual(["NOTES_FOLDER", "LIMIT", "KEY", "HINT"]);
  });

  it("the example of .env has the required settings, and the others commented out with their defaults", () => {
    expect(edit(".env.example", all, "")).toBe(
      [
        "# settings: written by `create-mcp-server settings`",
        "# Copy this file to .env, which git ignores, and fill it in.",
        "",
        "# Folder of the notes; required",
        "NOTES_FOLDER=",
        "",
        "# LIMIT=20",
        "",
        "# A key; secret; required",
        "KEY=",
        "",
        "# secret",
        "# HINT=",
        "# end of settings",
        "",
      ].join("\n"),
    );
  });

  it.each(["20", "https://example.com/a?b=1#c", "two words", "it's", "it's `two`", " a ", ""])(
    "the default %j in the example of .env is read as it is",
    (value) => {
      const text = edit(".env.example", { settings: [{ ...folder, default: value }], removed: [] }, "");
      expect(parseEnv(text)).toEqual({ NOTES_FOLDER: value });
    },
  );

  it("a host on Windows starts the server by a path with backslashes", () => {
    const text = host("mcpServers").replace("/notes/dist/server.js", String.raw`C:\\notes\\dist\\server.js`);
    expect(edit("claude_desktop_config.json", all, text)).toContain("NOTES_FOLDER");
  });

  it("a description cannot end its cell or begin markup in the README", () => {
    const text = edit("README.md", { settings: [{ ...folder, description: "a | b\n<script>" }], removed: [] });
    expect(text).toContain("| a \\| b &lt;script> |");
  });

  it("the registry entry has every setting, and keeps variables of others", () => {
    const [entry] = JSON.parse(edit("server.json", all)).packages;
    expect(entry.environmentVariables).toEqual([
      { name: "API_URL" },
      { name: "NOTES_FOLDER", description: "Folder of the notes", isRequired: true, isSecret: false },
      { name: "LIMIT", format: "number", isRequired: false, isSecret: false, default: "20" },
      { name: "KEY", description: "A key", isRequired: true, isSecret: true },
      { name: "HINT", isRequired: false, isSecret: true },
    ]);
  });

  it("the bundle requests each setting from the user and passes it to the server", () => {
    const { user_config: settings, server } = JSON.parse(edit("manifest.json", all));
    expect(server.mcp_config.env).toMatchObject({ API_URL: "x", LIMIT: "${user_config.LIMIT}" });
    expect(settings.NOTES_FOLDER).toMatchObject({ type: "string", required: true, sensitive: false });
    expect(settings.LIMIT).toMatchObject({ type: "number", required: false, default: 20 });
    expect(settings.KEY).toMatchObject({ required: true, sensitive: true });
    expect(settings.HINT).toMatchObject({ required: false, sensitive: true, default: "" });
  });

  it.each([
    [".mcp.json", "mcpServers", "${KEY}"],
    [".cursor/mcp.json", "mcpServers", "${env:KEY}"],
    [".vscode/mcp.json", "servers", "${input:KEY}"],
    ["claude_desktop_config.json", "mcpServers", ""],
  ])("%s lists required settings for the server of the project only", (path, member, value) => {
    const servers = JSON.parse(edit(path, all))[member];
    expect(servers.notes.env).toMatchObject({ API_URL: "x", KEY: value });
    expect(servers.notes.env).not.toHaveProperty("LIMIT");
    expect(servers.other).toEqual({ command: "npx", args: ["other"] });
  });

  it("a value that the user wrote for a host stays", () => {
    const text = samples["claude_desktop_config.json"]?.replace('"API_URL":"x"', '"KEY":"own"') ?? "";
    expect(JSON.parse(edit("claude_desktop_config.json", all, text)).mcpServers.notes.env.KEY).toBe("own");
  });

  it("an optional secret that a host passes on stays, with its prompt", () => {
    const before = edit(".vscode/mcp.json", { settings: [key], removed: [] });
    const after = edit(".vscode/mcp.json", { settings: [{ ...key, isRequired: false }], removed: [] }, before);
    expect(JSON.parse(after)).toEqual(JSON.parse(before));
  });

  it("VS Code prompts for required settings, and hides secrets", () => {
    expect(JSON.parse(edit(".vscode/mcp.json", all)).inputs).toEqual([
      { type: "promptString", id: "NOTES_FOLDER", description: "Folder of the notes", password: false },
      { type: "promptString", id: "KEY", description: "A key", password: true },
    ]);
  });

  it("the image names the settings before its last command", () => {
    expect(edit("Dockerfile", all)).toContain(
      'USER node\n# Settings, with -e NAME=value: NOTES_FOLDER (required), LIMIT, KEY (required), HINT\nCMD ["node"',
    );
  });

  it.each([".vscode/mcp.json", "server.json"])("%s with comments is not edited", (path) => {
    expect(settingFiles[path]?.("// mine\n{}", all)).toBeUndefined();
  });
});
