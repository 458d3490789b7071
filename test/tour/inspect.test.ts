import { join } from "node:path";
import { expect, test } from "vitest";
import { start, tour } from "./journey.ts";

test("`inspect` serves a page that calls the server at every revision", async () => {
  const inspector = start(join(tour.home, "demo"), "npx create-mcp-server inspect dist/server.js");
  const [url] = await inspector.until(/http:\S+\//);
  const page = await fetch(url);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await page.text()).toContain("page.js");
  expect((await fetch(new URL("page.js", url))).status).toBe(200);
  expect((await fetch(new URL("/", url))).status).toBe(403);
  const { body } = await fetch(new URL("events", url));
  const events = body?.pipeThrough(new TextDecoderStream()).getReader() ?? expect.unreachable("there are no events");
  for (const protocol of ["2026-07-28", "2024-11-05"]) {
    const params = { name: "measure_text", arguments: { text: "Hello, world" } };
    const request = JSON.stringify({ id: protocol, protocol, method: "tools/call", params });
    const headers = { "content-type": "application/json", origin: new URL(url).origin };
    expect((await fetch(new URL("request", url), { method: "POST", headers, body: request })).status).toBe(200);
    let shown = "";
    const result = new RegExp(`"kind":"result","command":"${protocol}","result":.*characters`);
    while (!result.test(shown)) {
      const { value, done } = await events.read();
      if (done) expect.unreachable(`the events end without a result: ${shown}`);
      shown += value;
    }
  }
  await events.cancel();
  await inspector.stop();
});
