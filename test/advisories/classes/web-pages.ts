import { onGithub, type AdvisoryClass } from "../advisory-class.ts";

const http = "runtime/transport/http-server";

/** Attacks by web pages on servers, gateways and tools of developers. */
export const webPages: readonly AdvisoryClass[] = [
  {
    title: "DNS rebinding",
    attack:
      "A web page lets its own name lead to the machine of its visitor, and sends requests to a local server from there.",
    defence:
      "Servers over HTTP, HTTP with SSE and WebSocket accept only local names in `Host` and `Origin` by default, and listen beyond the machine only with a list of names. The gateway, the inspector, the metrics and mounted servers do the same. A request of HTTP opens no session over TCP.",
    advisories: [
      onGithub("", ["GHSA-w48q-cv73-mx4w", "CVE-2025-66414"], "TypeScript SDK", "2025-12-02"),
      onGithub("", ["GHSA-9h52-p55h-vw2f", "CVE-2025-66416"], "Python SDK", "2025-12-02"),
      onGithub("", ["GHSA-vj7q-gjh5-988w", "CVE-2026-59950"], "Python SDK, WebSocket", "2026-07-16"),
      onGithub("", ["GHSA-xw59-hvm2-8pj6", "CVE-2026-34742"], "Go SDK", "2026-04-01"),
      onGithub("", ["GHSA-89vp-x53w-74fx", "CVE-2026-42559"], "Rust SDK", "2026-05-06"),
      onGithub("modelcontextprotocol/java-sdk", ["GHSA-8jxr-pr72-r468", "CVE-2026-35568"], "Java SDK", "2026-04-07"),
      onGithub("", ["GHSA-rjr6-rcgv-9m7m", "CVE-2026-63118"], "Ruby SDK", "2026-07-30"),
      onGithub("", ["GHSA-6fg3-hvw7-2fwq", "CVE-2025-9611"], "Playwright MCP", "2026-01-07"),
      onGithub("", ["GHSA-46gc-mwh4-cc5r", "CVE-2025-64443"], "Docker MCP Gateway", "2025-12-03"),
      onGithub("CircleCI-Public/mcp-server-circleci", ["GHSA-jwj7-74jh-p5c4"], "CircleCI MCP server", "2026-07-22"),
    ],
    tests: [
      [`${http}/advisories.test.ts`, "a page with a rebound host name is rejected at %s %s"],
      [`${http}/validate-request.test.ts`, "hosts are required to listen beyond loopback (T-71, SEC-02)"],
      [`${http}/fetch-handler.test.ts`, "the fetch handler rejects a foreign host"],
      [
        "runtime/transport/websocket/websocket.test.ts",
        "a server with headers %j responds to an upgrade with %i (T-70, R30, R31, R67, B-014)",
      ],
      [
        "runtime/transport/websocket/websocket.test.ts",
        "a server rejects an upgrade whose target names another host than its Host header (R30)",
      ],
      ["runtime/transport/tcp/tcp.test.ts", "a POST of a page with a whole session in its body opens no session"],
      ["cluster/metrics/serve-metrics.test.ts", "%s %s with the headers %j has status %i"],
      ["generator/scaffold/mount/mount.test.ts", "checks the Host line and the origin: %j"],
      ["browser/inspect/access.test.ts", "%s is rejected with a clear text"],
      ["advisories/gateway.test.ts", "a page with a rebound host name does not reach the server behind a gateway"],
    ],
  },
  {
    title: "Requests across sites, and wildcards in CORS",
    attack:
      "A page sends a form or a script to a server without authentication, or reads responses because the server allows every origin.",
    defence:
      "A request with an `Origin` that is not allowed gets 403 before anything else is checked. Bodies must be JSON (415), which a page cannot send without a preflight request. CORS headers name the listed origin, never `*`.",
    advisories: [
      onGithub("", ["GHSA-89xv-2j6f-qhc8", "CVE-2026-33252"], "Go SDK", "2026-03-19"),
      onGithub("", ["GHSA-hv2w-8mjj-jw22", "CVE-2026-34237"], "Java SDK", "2026-03-31"),
    ],
    tests: [
      [`${http}/advisories.test.ts`, "a form or script of another site runs no tool with a body of type %j"],
      [
        `${http}/validate-request.test.ts`,
        "the Origin %s from %s is rejected before anything else is checked (R31, R33)",
      ],
      [
        `${http}/validate-request.test.ts`,
        "a request of another origin gets CORS headers when the origin is listed, never with a wildcard (R31)",
      ],
    ],
  },
  {
    title: "Proxies and inspectors without authentication",
    attack:
      "A page or a program in the network uses the proxy of an inspector to start programs, or to send requests into the network of its user.",
    defence:
      "The address of `inspect` has a secret, `Host` must be 127.0.0.1, and commands of other pages are rejected. So are commands that the page does not have, and roots that are no folders.",
    advisories: [
      onGithub("", ["GHSA-7f8r-222p-6f5g", "CVE-2025-49596"], "MCP Inspector", "2025-06-13"),
      onGithub("MCPJam/inspector", ["GHSA-232v-j27c-5pp6", "CVE-2026-23744"], "MCPJam inspector", "2026-01-16"),
      onGithub("mcp-use/mcp-use", ["GHSA-f2jg-rm2x-hc5p", "CVE-2026-81091"], "mcp-use inspector", "2026-08-27"),
    ],
    tests: [
      ["browser/inspect/access.test.ts", "%s is rejected with a clear text"],
      ["browser/inspect/access.test.ts", "the page is served with a policy that allows nothing but itself"],
    ],
  },
  {
    title: "Scripts in pages of tools",
    attack:
      "A server puts markup or a `javascript:` URL into a name, a result or a redirect, and a page of the inspector, of a report or of a callback runs it.",
    defence:
      "Pages write text of servers as text, under a policy that allows only their own script. Views run in a frame without an origin and without a network. After a sign-in, only the expected response gets a page.",
    advisories: [
      onGithub("", ["GHSA-g9hg-qhmf-q45m", "CVE-2025-58444"], "MCP Inspector", "2025-09-08"),
      onGithub("", ["GHSA-mxxr-jv3v-6pgc", "CVE-2025-62800"], "FastMCP, callback page", "2025-10-29"),
      onGithub("", ["GHSA-w5cr-2qhr-jqc5"], "Cloudflare agents, callback page", "2026-02-13"),
      onGithub("", ["GHSA-rqv2-m695-f8j4", "CVE-2026-44429"], "MCP Registry, catalogue", "2026-05-08"),
    ],
    tests: [
      ["browser/inspect/hostile.test.ts", "%s of a hostile server are text"],
      ["browser/inspect/hostile.test.ts", "the log, the server and the messages of a hostile server are text"],
      [
        "browser/inspect/features.test.ts",
        "a view runs in a sandboxed frame without an origin, and receives the result of its tool",
      ],
      ["browser/diff-page.test.ts", "the page shows text of servers as text, whatever it contains"],
      ["tools/diff/diff.test.ts", "`diff` writes a page that loads nothing and escapes all text of servers"],
      ["runtime/auth/client/loopback.test.ts", "a loopback redirect ignores other requests (AC-16)"],
    ],
  },
];
