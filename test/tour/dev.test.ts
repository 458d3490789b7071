import { readFileSync } from "node:fs";
import { join, parse } from "node:path";
import { describe, expect, test } from "vitest";
import { connect, copyProject, edit, hosts, start, tour } from "./journey.ts";

const project = copyProject("dev");
const hosted = copyProject("hosted");
const source = join(project, "src", "definition.ts");

test("`npm run dev` keeps clients of both generations connected when a source is saved", async () => {
  const server = start(project, "npm run dev -- --http 0");
  const [url] = await server.until(/http:\S+/);
  const clients = await Promise.all(hosts.map((host) => connect(host, { kind: "http", url })));
  edit(source, 'name: "measure_text"', 'name: "count_words"');
  await server.until(/\[dev\] reloaded; tools:.*count_words/);
  for (const client of clients) {
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("count_words");
    expect(await client.call("count_words", { text: "one two" })).toMatchObject({ structuredContent: { words: 2 } });
  }
  edit(source, "defineServer({\n", "defineServer(({\n");
  await server.until(/definition\.ts:\d+/);
  for (const client of clients) {
    expect(await client.call("count_words", { text: "one two" })).toMatchObject({ structuredContent: { words: 2 } });
    await client.close();
  }
  await server.stop(null);
});

/** Replaces the placeholder of the README. */
function toOwnPath(argument: string): string {
  return argument.replace("/path/to/demo", join(tour.home, "demo"));
}

/** Commands with which the guides and the README of a project let hosts start the server. */
function hostCommands(): readonly (readonly [what: string, command: string, args: readonly string[]])[] {
  const [, configuration = ""] =
    /claude_desktop_config[^]*?```json\n([^]*?)```/.exec(readFileSync(join(tour.home, "demo", "README.md"), "utf8")) ??
    [];
  const { command, args } = JSON.parse(configuration).mcpServers.demo;
  return [
    ["the development server", "node", [join(hosted, "build.js"), "--watch"]],
    ["the configuration of Claude Desktop", command, args.map(toOwnPath)],
  ];
}

describe.each(hosts)("$name", (host) => {
  test.each(hostCommands())("starts %s in any folder, and a second time", async (_what, command, args) => {
    for (const _start of ["first", "second"]) {
      const client = await connect(host, { kind: "stdio", command, args, cwd: parse(project).root });
      expect(await client.call("measure_text", { text: "Hello, world" })).toMatchObject({
        structuredContent: { words: 2 },
      });
      await client.close();
    }
  });
});
