import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { serveRaw } from "../kit/raw-server.ts";
import { connect, copyProject, edit, hosts, run } from "./journey.ts";

const project = copyProject("openapi");
const [host = expect.unreachable("there is no host")] = hosts;

const document = (more = ""): string => `
openapi: 3.1.0
info: { title: Shop, version: 1.0.0 }
servers: [{ url: https://shop.example/v1 }]
components: { securitySchemes: { token: { type: http, scheme: bearer } } }
security: [{ token: [] }]
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { "200": { description: The order, content: { application/json: { schema: { type: object, properties: { id: { type: string } } } } } } }
${more}`;

const customers = `
  /customers:
    get: { operationId: listCustomers, responses: { "200": { description: The customers } } }
`;

test("`add openapi` adds a tool for each operation, which the project tests", async () => {
  writeFileSync(join(project, "shop.yaml"), document());
  const printed = await run(project, "npx create-mcp-server add openapi shop.yaml");
  expect(printed).toMatch(/Added 1 tool in src\/shop\/, registered in src\/definition\.ts/);
  expect(printed).toContain("SHOP_TOKEN");
  await run(project, "npm install");
  await run(project, "npm run typecheck");
  expect(await run(project, "npm test")).toMatch(/✓ test\/shop-api\.test\.ts/);
});

test("a host calls the API with the credential of the settings", async () => {
  const api = await serveRaw(({ url, headers }, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: `${url} ${headers.authorization}` }));
  });
  onTestFinished(() => api.close());
  const args = [`SHOP_BASE_URL=${api.origin}`, "SHOP_TOKEN=t", process.execPath, join(project, "dist/server.js")];
  const client = await connect(host, { kind: "stdio", command: "env", args });
  expect(await client.call("getOrder", { id: "a/b" })).toMatchObject({
    structuredContent: { id: "/orders/a%2Fb Bearer t" },
  });
});

test("a changed document is reported, and added without the loss of an edit", async () => {
  await run(project, "npx create-mcp-server add openapi shop.yaml --check");
  const tool = join(project, "src", "shop", "tools", "get-order.ts");
  edit(tool, 'description: "GET /orders/{id}"', 'description: "Reads an order"');
  writeFileSync(join(project, "shop.yaml"), document(customers));
  expect(await run(project, "npx create-mcp-server add openapi shop.yaml --check", 1)).toContain(
    "new        GET /customers, tool listCustomers",
  );
  await run(project, "npx create-mcp-server add openapi shop.yaml");
  expect(readFileSync(tool, "utf8")).toContain('description: "Reads an order"');
  await run(project, "npm run typecheck");
});
