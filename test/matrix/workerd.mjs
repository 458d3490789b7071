/* Serves a bundled worker in workerd and calls its tool once. Arguments: the bundle, the module of miniflare, the revision, and `stateless` or `session`. */
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";
import { join } from "node:path";

const [bundle, miniflare, revision, era] = process.argv.slice(2);
const main = createRequire(join(miniflare, "package.json")).resolve(miniflare);
const { Miniflare } = await import(pathToFileURL(main).href);
const worker = new Miniflare({ modules: true, scriptPath: bundle, compatibilityDate: "2026-01-01" });
try {
  const url = new URL("/mcp", await worker.ready);
  let session;
  const prefix = "io.modelcontextprotocol";
  const clientInfo = { name: "workerd", version: "1" };
  const metadata = {
    [`${prefix}/protocolVersion`]: revision,
    [`${prefix}/clientCapabilities`]: {},
    [`${prefix}/clientInfo`]: clientInfo,
  };
  const send = async (message) => {
    const { name } = message.params ?? {};
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-method": message.method,
        ...(message.method !== "initialize" && { "mcp-protocol-version": revision }),
        ...(session && { "mcp-session-id": session }),
        ...(name && { "mcp-name": name }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    session = response.headers.get("mcp-session-id") ?? session;
    return response.text();
  };
  const params = { name: "measure_text", arguments: { text: "Hello, world" } };
  if (era === "session") {
    await send({ id: 1, method: "initialize", params: { protocolVersion: revision, capabilities: {}, clientInfo } });
    await send({ method: "notifications/initialized" });
  }
  const text = await send({
    id: 2,
    method: "tools/call",
    params: era === "stateless" ? { ...params, _meta: metadata } : params,
  });
  if (!/12/.test(text) || /isError":\s*true|"error"/.test(text)) throw new Error(`workerd responded with ${text}`);
  console.log(text);
} finally {
  await worker.dispose();
}
