import { expect, test } from "vitest";
import { createHostRules, type HostOptions } from "../../../../runtime/transport/http-server/host-rules.ts";

/* Hosts by which a server may be addressed, and origins of pages that may use it. */

const named = { allowedHosts: ["Mcp.example", "app.example:80", "secure.example:443"] };

test.each<readonly [host: string, options: HostOptions, isAllowed: boolean]>([
  ["localhost", {}, true],
  ["LocalHost:99", {}, true],
  ["localhost:", {}, true],
  ["[::1]:99", {}, true],
  ["localhost:99:99", {}, false],
  ["mcp.example", {}, false],
  ["mcp.example:99", named, true],
  ["app.example:80", named, true],
  ["app.example:81", named, false],
  ["app.example", named, false],
  ["localhost", named, false],
  ["mcp.example", { allowedHosts: "any" }, true],
])("the host %s is compared with the options %j", (host, options, isAllowed) => {
  const rules = createHostRules(options);
  expect([rules.isHost(host), rules.isHost("evil.example"), rules.isHost(host)]).toEqual([
    isAllowed,
    options.allowedHosts === "any",
    isAllowed,
  ]);
});

test.each<readonly [origin: string, hosts: readonly string[], options: HostOptions, isAllowed: boolean]>([
  ["http://localhost", ["localhost"], {}, true],
  ["http://localhost", ["localhost:80"], {}, true],
  ["https://localhost", ["localhost:443"], {}, true],
  ["https://localhost", ["localhost"], {}, true],
  ["https://localhost", ["localhost:80"], {}, false],
  ["http://localhost", ["localhost:443"], {}, false],
  ["http://localhost", ["localhost:3000"], {}, false],
  ["http://localhost:3000", ["localhost:3000"], {}, true],
  ["http://localhost:3000", ["proxy:80", "localhost:3000"], {}, true],
  ["http://localhost:3000", ["localhost"], {}, false],
  ["http://localhost:3000", [], {}, false],
  ["HTTP://LocalHost", ["localhost"], {}, true],
  ["http://localhost/", ["localhost"], {}, false],
  ["ws://localhost", ["localhost"], {}, false],
  ["null", ["localhost"], {}, false],
  ["http://mcp.example:99", ["mcp.example:99"], named, true],
  ["http://app.example", ["mcp.example:99"], named, true],
  ["https://app.example", ["mcp.example:99"], named, false],
  ["https://secure.example", ["mcp.example:99"], named, true],
  ["http://localhost", ["localhost"], named, false],
  ["http://localhost", ["localhost"], { allowedHosts: "any" }, true],
  ["http://evil.example", ["evil.example"], { allowedHosts: "any" }, false],
  ["http://evil.example", ["localhost"], { allowedOrigins: "any" }, true],
  ["https://app.example", ["localhost"], { allowedOrigins: ["HTTPS://App.example/path"] }, true],
  ["http://localhost", ["localhost"], { allowedOrigins: ["https://app.example"] }, false],
])("the origin %s of a request to %j is compared with the options %j", (origin, hosts, options, isAllowed) => {
  expect(createHostRules(options).isOrigin(origin, hosts)).toBe(isAllowed);
});
