import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { ToolError } from "../../../runtime/server/errors.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";
import { readText, serveRaw } from "../../kit/raw-server.ts";
import { writeSources } from "./write-sources.ts";

/* Encoding of values in requests: the document of an API declares it, and a server compares it literally. */

interface Sent {
  readonly path: string;
  readonly cookie: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

/** Calls the only tool of a document, and returns the request that the API receives. */
async function send(operation: string, args: object, token?: string): Promise<Sent | undefined> {
  const sent: Sent[] = [];
  const api = await serveRaw(async (request, response) => {
    const { url: path = "", headers } = request;
    sent.push({ path, cookie: headers.cookie, type: headers["content-type"], body: await readText(request) });
    response.end("done");
  });
  onTestFinished(() => api.close());
  vi.stubEnv("API_BASE_URL", api.origin);
  vi.stubEnv("API_TOKEN", token);
  onTestFinished(() => void vi.unstubAllEnvs());
  const root = temporaryFolder();
  const scheme = "{ type: apiKey, in: cookie, name: sid }";
  const document = `openapi: 3.1.0
info: { title: Encodings, version: 1.0.0 }
${token === undefined ? "" : `security: [{ key: [] }]\ncomponents: { securitySchemes: { key: ${scheme} } }\n`}paths:
  /go: { post: { operationId: go, ${operation}, responses: { "200": { description: ok } } } }
`;
  await writeSources(document, root);
  const { goTool } = await import(pathToFileURL(join(root, "src", "tools", "go.ts")).href);
  await goTool.execute(args, { signal: new AbortController().signal });
  return sent[0];
}

const parameters = `parameters: [{ name: sid, in: cookie, schema: {} }, { name: a, in: cookie, schema: {} }]`;

test("a credential is sent as a cookie as it is, and other cookies are encoded", async () => {
  const sent = await send(parameters, { a: "b;c/=", sid: "no" }, "abc+/de== %41");
  expect(sent?.cookie?.split("; ").toSorted()).toEqual(["a=b%3Bc%2F%3D", "sid=abc+/de== %41"]);
});

test.each(["a;b", "a\nb", "a\u007fb", "a€"])(
  "a credential that a cookie cannot contain is rejected: %j",
  async (token) => {
    const message = "sid has characters that a cookie cannot contain; correct its setting.";
    await expect(send(parameters, {}, token)).rejects.toThrow(new ToolError(message));
  },
);

test("a member of a form has a name that objects inherit", async () => {
  const media = "{ schema: { type: object }, encoding: { v: { explode: false } } }";
  const body = { constructor: ["a", "b"] };
  const sent = await send(`requestBody: { content: { application/x-www-form-urlencoded: ${media} } }`, { body });
  expect(sent?.body).toBe("constructor=a&constructor=b");
});

test("only files of a form have the name of a file, and no name of a part ends its header", async () => {
  const properties = "{ file: { type: string, format: binary }, meta: { type: object }, note: { type: string } }";
  const media = `{ schema: { type: object, properties: ${properties} } }`;
  const body = { file: btoa("bytes"), meta: { a: 1 }, note: "x\ny", 'q"\r\nX: 1': [{}, null, "z"] };
  const sent = await send(`requestBody: { content: { multipart/form-data: ${media} } }`, { body });
  const [, boundary = ""] = /^multipart\/form-data; boundary=(.+)$/.exec(sent?.type ?? "") ?? [];
  expect(sent?.body.split(`--${boundary}`)).toEqual([
    "",
    '\r\nContent-Disposition: form-data; name="file"; filename="file"\r\nContent-Type: application/octet-stream\r\n\r\nbytes\r\n',
    '\r\nContent-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n',
    '\r\nContent-Disposition: form-data; name="note"\r\n\r\nx\ny\r\n',
    '\r\nContent-Disposition: form-data; name="q%22%0D%0AX: 1"\r\nContent-Type: application/json\r\n\r\n{}\r\n',
    '\r\nContent-Disposition: form-data; name="q%22%0D%0AX: 1"\r\n\r\nz\r\n',
    "--\r\n",
  ]);
});

test.each([
  ["text/plain", "hello", "/go?v=hello"],
  ["application/json", "hello", "/go?v=%22hello%22"],
  ["application/vnd.api+json; charset=utf-8", ["a"], "/go?v=%5B%22a%22%5D"],
])("a parameter of the query with content of the type %s is sent as such", async (type, v, path) => {
  const content = `{ "${type}": { schema: {} } }`;
  const sent = await send(`parameters: [{ name: v, in: query, content: ${content} }]`, { v });
  expect(sent?.path).toBe(path);
});
