import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connect, copyProject, hosts, run, start } from "./journey.ts";

const project = copyProject("server");

test("`add` writes a tool, and `npm test` tests it at every revision over every transport", async () => {
  expect(await run(project, "npx create-mcp-server add tool forecast")).toBe(
    "Added src/tools/forecast.ts and test/forecast-tool.test.ts, registered in src/definition.ts. Next: npm test\n",
  );
  const tested = await run(project, "npm test");
  expect(tested).toMatch(/✓ test\/forecast-tool\.test\.ts/);
  expect(tested).not.toContain("did not end");
  await run(project, "npm run build");
});

describe.each(hosts)("$name", (host) => {
  test("connects over stdio, and calls the tool that was added", async () => {
    const place = { kind: "stdio", command: process.execPath, args: [join(project, "dist", "server.js")] } as const;
    const client = await connect(host, place);
    expect(client.revision).toBe(host.revision);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("forecast");
    expect(JSON.stringify(await client.call("forecast", { text: "Oslo" }))).toContain("Forecast: Oslo");
    expect(JSON.stringify(await client.call("greet"))).toContain("Hello, me!");
  });

  test("connects over HTTP, and calls the tool that was added", async () => {
    const server = start(project, "npm start -- --http 0");
    const [url] = await server.until(/http:\S+/);
    const client = await connect(host, { kind: "http", url });
    expect(client.revision).toBe(host.revision);
    expect(JSON.stringify(await client.call("forecast", { text: "Oslo" }))).toContain("Forecast: Oslo");
    expect(JSON.stringify(await client.readResource({ uri: "guide://style" }))).toContain("Style guide");
    await client.close();
    await server.stop(null);
  });
});

test("`remove` removes everything that a project begins with, and the rest still compiles and passes its tests", async () => {
  for (const name of ["tool forecast", "tool measure_text", "tool greet", "resource style-guide", "prompt shorten"])
    expect(await run(project, `npx create-mcp-server remove ${name}`)).toMatch(/^Removed /m);
  await run(project, "npm run typecheck");
  const tested = await run(project, "npm test");
  expect(tested).toMatch(/Test Files.* 1 passed/);
  expect(tested).not.toContain("did not end");
});
