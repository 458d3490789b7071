import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

describe("`init` in what create-next-app writes", () => {
  const application = join(tour.home, "next-application");
  const options = "--ts --app --src-dir --no-tailwind --no-eslint --use-npm --disable-git --yes";

  test("adds a server with which `next build` succeeds, with Cache Components", async () => {
    await run(tour.home, `npx --yes create-next-app@latest next-application ${options}`);
    // The page of the example loads fonts from a server at Google.
    writeFileSync(join(application, "src", "app", "layout.tsx"), layout);
    const configuration = join(application, "next.config.ts");
    if (!readFileSync(configuration, "utf8").includes("cacheComponents: true"))
      writeFileSync(configuration, "export default { cacheComponents: true };\n");
    expect(await run(application, "npx create-mcp-server init")).toContain("src/app/mcp/route.ts serves the server");
    expect(await run(application, "npx next build")).toMatch(/ƒ \/mcp$/m);
  });

  test.each(["start", "dev"])("a host calls the server of `next %s`", async (command) => {
    const server = start(application, `npx next ${command} --hostname 127.0.0.1 --port 0`);
    const [, origin] = await server.until(/(http:\/\/127\.0\.0\.1:[1-9]\d*)[^]*Ready/);
    for (const host of hosts) {
      const client = await connect(host, { kind: "http", url: `${origin}/mcp` });
      expect(client.revision).toBe(host.revision);
      expect(await client.call("measure_text", { text: "one two" })).toMatchObject({ structuredContent: { words: 2 } });
      await client.close();
    }
  });
});

const layout = `
import type { ReactNode } from "react";

export default function Layout({ children }: { readonly children: ReactNode }) {
  return <html lang="en"><body>{children}</body></html>;
}
`;
