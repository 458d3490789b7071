import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connect, hosts, run, start, tour } from "./journey.ts";

const application = join(tour.home, "application");

const source = `
import express from "express";
import { mcp, paths } from "./dist/mcp-handler.mjs";

const app = express();
app.all(paths, mcp);
app.use(express.json());
app.get("/", (request, response) => response.send("an application"));
const listener = app.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + listener.address().port));
`;

test("`init` adds a server to an application of Express, and prints the lines that mount it", async () => {
  mkdirSync(application);
  const manifest = { name: "application", private: true, type: "module", dependencies: { express: "^5.0.0" } };
  writeFileSync(join(application, "package.json"), JSON.stringify(manifest, undefined, 2));
  const printed = await run(application, "npx create-mcp-server init");
  expect(printed).toContain("an application of Express");
  for (const line of ['import { mcp, paths } from "./dist/mcp-handler.mjs";', "app.all(paths, mcp);"])
    expect(printed).toContain(line);
  writeFileSync(join(application, "app.js"), source);
  await run(application, "npx create-mcp-server add tool forecast");
  await run(application, "npm run mcp:build");
  expect(await run(application, "npx create-mcp-server update --check")).toContain("up to date");
});

describe.each(hosts)("$name", (host) => {
  test("calls the server within the application", async () => {
    const server = start(application, "node app.js");
    const [url] = await server.until(/http:\S+/);
    expect(await (await fetch(url)).text()).toBe("an application");
    const client = await connect(host, { kind: "http", url: `${url}/mcp` });
    expect(client.revision).toBe(host.revision);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["measure_text", "forecast"]);
    expect(await client.call("measure_text", { text: "one two" })).toMatchObject({ structuredContent: { words: 2 } });
  });
});
