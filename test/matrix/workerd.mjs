/* Serves a bundled worker in workerd and calls its tool once. Arguments: the bundle, the module of miniflare, the revision. */
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";
import { join } from "node:path";

const [bundle, miniflare, revision, isStateless] = process.argv.slice(2);
const main = createRequire(join(miniflare, "package.json")).resolve(miniflare);
const { Miniflare } = await import(pathToFileURL(main).href);
const worker = new Miniflare({ modules: true, scriptPath: bundle, compatibilityDate: "2026-01-01" });
try {
  const url = new URL("/mcp", await worker.ready);
  let session;
  const prefix = "io.modelcontextprotocol";
  const clientInfo = { name: "workerd", version: "1" };
  const claim = {
    [`${prefix}/protocolVersion`]: revision,
    [`${prefix}/clientCapabilities`]: {},
    [`${prefix}/clientInfo`]: clientInfo,
  };
  const ask = async (message) => {
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
  if (isStateless !== "alone") {
    await ask({ id: 1, method: "initialize", params: { protocolVersion: revision, capabilities: {}, clientInfo } });
    await ask({ method: "notifications/initialized" });
  }
  const answer = await ask({
    id: 2,
    method: "tools/call",
    params: isStateless === "alone" ? { ...params, _meta: claim } : params,
  });
  if (!/12/.test(answer) || /isError":\s*true|"error"/.test(answer)) throw new Error(`workerd answered ${answer}`);
  console.log(answer);
} finally {
  await worker.dispose();
}
