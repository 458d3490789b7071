import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { emitPlugin, toPluginName, type PluginServer } from "../../../../generator/scaffold/extras/plugin-files.ts";
import { settingFiles } from "../../../../generator/scaffold/settings/setting-files.ts";

/* The schemas are those of github.com/agentplugins/agent-plugins-spec, version 1.0.0, commit bd38355. */

const variables = [{ name: "TOKEN", description: "Token", isSecret: true, isRequired: true }];
const started: PluginServer = {
  packageName: "@me/notes",
  hostName: "notes",
  isStarted: true,
  isKeyed: false,
  variables,
};
const reached: PluginServer = { ...started, isStarted: false, isKeyed: true, variables: [] };
const ajv = new Ajv2020();

function isValid(kind: "plugin" | "mcp", text: string | undefined): boolean {
  const url = new URL(`agent-plugins-${kind}.schema.json`, import.meta.url);
  return ajv.validate(JSON.parse(readFileSync(url, "utf8")), JSON.parse(text ?? ""));
}

describe("files of a plugin", () => {
  test.each([
    ["a package that hosts start", started],
    ["a server with an address", reached],
  ])("the files for %s are valid, and contain no secret", (_name, server) => {
    ajv.removeSchema();
    const files = emitPlugin(server);
    expect(isValid("plugin", files["plugin/plugin.json"])).toBe(true);
    expect(isValid("mcp", files["plugin/mcp.json"])).toBe(true);
    expect(files["plugin/mcp.json"]).not.toContain("${");
  });

  test("Claude Code gets variables and keys from the environment", () => {
    const read = (server: PluginServer): unknown =>
      JSON.parse(emitPlugin(server)["plugin/.claude-plugin/plugin.json"] ?? "").mcpServers.notes;
    expect(read(started)).toEqual({
      type: "stdio",
      command: "npx",
      args: ["-y", "@me/notes"],
      env: { TOKEN: "${TOKEN}" },
    });
    expect(read(reached)).toEqual({
      type: "http",
      url: "https://notes.example.com/mcp",
      headers: { "X-API-Key": "${KEY}" },
    });
  });

  test("`settings` lists the required settings of the server", () => {
    const path = "plugin/.claude-plugin/plugin.json";
    const setting = { name: "FOLDER", type: "string", isRequired: true, isSecret: false } as const;
    const edited = settingFiles[path]?.(emitPlugin(started)[path] ?? "", { settings: [setting], removed: [] });
    expect(JSON.parse(edited ?? "").mcpServers.notes.env).toEqual({ TOKEN: "${TOKEN}", FOLDER: "${FOLDER}" });
  });

  test.each([
    ["notes", "notes"],
    ["My_Notes~2", "my-notes-2"],
    ["a..b--c", "a.b-c"],
    ["-.", "server"],
    ["x".repeat(80), "x".repeat(64)],
  ])("the name %s becomes %s", (name, expected) => {
    expect(toPluginName(name)).toBe(expected);
    ajv.removeSchema();
    expect(isValid("plugin", emitPlugin({ ...started, hostName: name })["plugin/plugin.json"])).toBe(true);
  });
});
