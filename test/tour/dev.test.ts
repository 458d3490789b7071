import { join } from "node:path";
import { expect, test } from "vitest";
import { connect, copyProject, edit, hosts, start } from "./journey.ts";

const project = copyProject("dev");
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
