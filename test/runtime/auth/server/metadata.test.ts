import { expect, test } from "vitest";
import { toMetadataPlaces, toResourceMetadataPlaces } from "../../../../runtime/auth/common/well-known.ts";
import { checkUrl, createDocuments, isSecure, toMetadataUrl } from "../../../../runtime/auth/server/metadata.ts";

const resourcePath = "/.well-known/oauth-protected-resource";

test.each([
  ["https://mcp.example", resourcePath],
  ["https://mcp.example/", resourcePath],
  ["https://mcp.example/mcp", `${resourcePath}/mcp`],
  ["https://mcp.example/mcp/", `${resourcePath}/mcp/`],
])("the metadata of the resource %s is at %s, and at the root", (resource, path) => {
  expect(toMetadataUrl(resource).href).toBe(`https://mcp.example${path}`);
  const documents = createDocuments(resource, { resource });
  expect([...documents.keys()]).toEqual([...new Set([path, resourcePath])]);
  for (const document of documents.values())
    expect(document).toEqual({
      status: 200,
      headers: { "content-type": "application/json", "cache-control": "public, max-age=300" },
      body: JSON.stringify({ resource }),
    });
});

test.each([
  ["https://mcp.example", [resourcePath]],
  ["https://mcp.example/", [resourcePath]],
  ["https://mcp.example/mcp", [`${resourcePath}/mcp`, resourcePath]],
  ["https://mcp.example/a/mcp/", [`${resourcePath}/a/mcp`, resourcePath]],
  ["https://mcp.example/mcp?tenant=a", [`${resourcePath}/mcp?tenant=a`, resourcePath]],
  ["https://mcp.example/?tenant=a", [`${resourcePath}?tenant=a`, resourcePath]],
])("a client looks for the metadata of the resource %s at %j", (resource, places) => {
  expect(toResourceMetadataPlaces(new URL(resource)).map(({ href }) => href)).toEqual(
    places.map((place) => `https://mcp.example${place}`),
  );
});

test.each([
  ["https://login.example", ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]],
  ["https://login.example/", ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]],
  ...["https://login.example/a", "https://login.example/a/"].map((issuer): [string, string[]] => [
    issuer,
    [
      "/.well-known/oauth-authorization-server/a",
      "/.well-known/openid-configuration/a",
      "/a/.well-known/openid-configuration",
    ],
  ]),
])("a client looks for the metadata of the issuer %s at %j", (issuer, places) => {
  expect(toMetadataPlaces(new URL(issuer)).map(({ href }) => href)).toEqual(
    places.map((place) => `https://login.example${place}`),
  );
});

const problem = "use an https URL without query and fragment (http only on loopback)";

test.each([
  ["text", "text"],
  ["http://mcp.example/mcp", "http://mcp.example/mcp"],
  ["https://mcp.example/mcp?secret", "https://mcp.example/mcp"],
  ["https://mcp.example/mcp#secret", "https://mcp.example/mcp"],
  ["https://secret@mcp.example/mcp", "https://mcp.example/mcp"],
  ["https://:secret@mcp.example/mcp", "https://mcp.example/mcp"],
  [" https://mcp.example/mcp", "https://mcp.example/mcp"],
  ["mailto:secret@mcp.example", "mailto:"],
])("the URL %j of a resource is rejected, and its secrets are not shown", (url, shown) => {
  expect(() => checkUrl("resource", url)).toThrow(`resource is ${JSON.stringify(shown)}; ${problem}`);
});

test.each([
  ["https://mcp.example/mcp", true],
  ["http://localhost:3000/mcp", true],
  ["http://127.1.2.3/", true],
  ["http://[::1]/", true],
  ["http://localhost.mcp.example/", false],
  ["http://a.localhost/", false],
  ["http://mcp.example/127.0.0.1", false],
  ["ftp://localhost/", false],
])("the URL %s is secure: %s", (url, expected) => {
  expect(isSecure(new URL(url))).toBe(expected);
  if (expected) checkUrl("resource", url);
});
