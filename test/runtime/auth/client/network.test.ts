import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { findNetwork } from "../../../../runtime/auth/client/network/network.ts";
import { findOpener, openBrowser } from "../../../../runtime/auth/client/redirect/browser.ts";
import { findChallenge, readChallenges } from "../../../../runtime/auth/client/discovery/www-authenticate.ts";
import { createPinnedFetch } from "../../../../runtime/auth/client/network/pinned-fetch.ts";
import { createUrlRules } from "../../../../runtime/auth/client/network/url-rules.ts";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { once } from "node:events";

describe("challenges of a response (AC-02)", () => {
  const cases: readonly [header: string, expected: readonly (readonly [string, Record<string, string>])[]][] = [
    ["Bearer", [["bearer", {}]]],
    ['Bearer realm="x"', [["bearer", { realm: "x" }]]],
    ["bearer scope=a", [["bearer", { scope: "a" }]]],
    ['BEARER Scope = "a b" , error=x', [["bearer", { scope: "a b", error: "x" }]]],
    [
      'Basic realm="a, Bearer scope=\\"b\\"", Bearer scope="c"',
      [
        ["basic", { realm: 'a, Bearer scope="b"' }],
        ["bearer", { scope: "c" }],
      ],
    ],
    [
      "Negotiate, Bearer",
      [
        ["negotiate", {}],
        ["bearer", {}],
      ],
    ],
    [
      'Negotiate YWJj==, Bearer scope="x"',
      [
        ["negotiate", {}],
        ["bearer", { scope: "x" }],
      ],
    ],
    ["Bearer resource_metadata=https://x.example/a", [["bearer", { resource_metadata: "https://x.example/a" }]]],
    ['Bearer scope="a", scope="b"', [["bearer", { scope: "a" }]]],
    [
      'DPoP algs="ES256 PS256", Bearer error="invalid_token"',
      [
        ["dpop", { algs: "ES256 PS256" }],
        ["bearer", { error: "invalid_token" }],
      ],
    ],
    [', ,Bearer , scope="a"', [["bearer", { scope: "a" }]]],
    ['Bearer scope="never ends', [["bearer", {}]]],
    ['Bearer __proto__="x"', [["bearer", { ["__proto__"]: "x" }]]],
    ["", []],
    ["=", []],
  ];
  test.each(cases)("a challenge is parsed: %s", (header, expected) => {
    const found = readChallenges(header).map(({ scheme, parameters }) => [scheme, [...parameters]]);
    expect(found).toEqual(expected.map(([scheme, parameters]) => [scheme, Object.entries(parameters)]));
  });

  test("the challenge of the preferred scheme is selected", () => {
    const challenges = readChallenges('Bearer scope="a", DPoP scope="b"');
    expect(findChallenge(challenges, ["dpop", "bearer"])?.parameters.get("scope")).toBe("b");
    expect(findChallenge(challenges, ["bearer"])?.parameters.get("scope")).toBe("a");
    expect(findChallenge(challenges, ["mutual"])).toBeUndefined();
  });

  test("challenges of any content are parsed in bounded time", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab =,"\\\t;Bearer') }), (header) => {
        expect(readChallenges(header).length).toBeLessThanOrEqual(header.length);
      }),
      { numRuns: 2_000 },
    );
    expect(readChallenges(`Bearer ${'a="b", '.repeat(10_000)}`)).toEqual([]);
  });
});

describe("networks", () => {
  const cases: readonly [host: string, network: string | undefined][] = [
    ["127.0.0.1", "loopback"],
    ["127.255.1.2", "loopback"],
    ["[::1]", "loopback"],
    ["localhost", "loopback"],
    ["LOCALHOST", "loopback"],
    ["x.localhost.", "loopback"],
    ["[::ffff:127.0.0.1]", "loopback"],
    ["[::ffff:7f00:1]", "loopback"],
    ["10.1.2.3", "private"],
    ["172.31.0.1", "private"],
    ["192.168.0.1", "private"],
    ["100.64.0.1", "private"],
    ["[fd12::1]", "private"],
    ["[::ffff:a00:1]", "private"],
    ["169.254.169.254", "link-local"],
    ["[fe80::1]", "link-local"],
    ["0.0.0.0", "reserved"],
    ["[::]", "reserved"],
    ["[64:ff9b::a00:1]", "reserved"],
    ["[2002:a00:1::]", "reserved"],
    ["[::127.0.0.1]", "reserved"],
    ["[::ffff:0:127.0.0.1]", "reserved"],
    ["[::ffff:127.0.0.1]", "loopback"],
    ["[::ffff:8.8.8.8]", "public"],
    ["255.255.255.255", "reserved"],
    ["224.0.0.1", "reserved"],
    ["8.8.8.8", "public"],
    ["172.32.0.1", "public"],
    ["[2606:4700::1111]", "public"],
    ["example.com", undefined],
    ["notlocalhost", undefined],
    ["localhost.example", undefined],
  ];
  test.each(cases)("the address %s is %s", (host, network) => {
    expect(findNetwork(host)).toBe(network);
  });
});

describe("rules for URLs", () => {
  const cases: readonly [server: string, url: string, isFine: boolean][] = [
    ["https://mcp.example/", "https://as.example/", true],
    ["https://mcp.example/", "http://as.example/", false],
    ["https://mcp.example/", "http://localhost/", false],
    ["https://mcp.example/", "https://127.0.0.1/", false],
    ["https://mcp.example/", "https://2130706433/", false],
    ["https://mcp.example/", "https://0x7f.1/", false],
    ["https://mcp.example/", "ftp://as.example/", false],
    ["http://localhost:1/", "http://127.0.0.1:2/", true],
    ["http://localhost:1/", "https://as.example/", true],
    ["http://localhost:1/", "https://10.0.0.1/", false],
    ["https://10.0.0.1/", "https://10.0.0.2/", true],
    ["https://10.0.0.1/", "http://10.0.0.2/", false],
    ["https://10.0.0.1/", "https://127.0.0.1/", false],
    ["https://10.0.0.1/", "https://169.254.169.254/", false],
  ];
  /** Other notations of addresses and names of this machine or its network. */
  const notations = [
    ...["127.1", "127.0.1", "0177.0.0.1", "0177.1", "0x7f000001", "0x7F.0.0.0x1", "017700000001", "127.0.0.1."],
    ...["2130706433.", "%31%32%37.0.0.1", "１２７。０．０｡１", "①②⑦.0.0.1", "[0:0:0:0:0:0:0:1]", "[::0.0.0.1]"],
    ...["[::ffff:7f00:1]", "[0:0:0:0:0:FFFF:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[::7f00:1]"],
    ...[
      "localhost.",
      "%6cocalhost",
      "ＬＯＣＡＬＨＯＳＴ",
      "x.y.LOCALHOST.",
      "0",
      "0x0",
      "000.0",
      "[::]",
      "[::ffff:0:0]",
    ],
    ...["167772161", "012.1", "0xA.1", "3232235521", "192.168.257", "[::ffff:c0a8:101]", "[64:ff9b::c0a8:101]"],
    ...["2852039166", "169.254.43518", "0251.0376.0251.0376", "0xa9fea9fe", "[::ffff:a9fe:a9fe]", "[fe80:0::0:1]"],
  ];
  test.each(notations)("a request to the host %s is not allowed", (host) => {
    const check = (): void =>
      createUrlRules(new URL("https://mcp.example/")).check(new URL(`https://${host}/`), "document");
    expect(check).toThrow(expect.objectContaining({ code: "unsafe-url" }));
  });

  test.each(cases)("a request from %s to %s: %s", (server, url, isFine) => {
    const check = (): void => createUrlRules(new URL(server)).check(new URL(url), "document");
    if (isFine) check();
    else expect(check).toThrow(expect.objectContaining({ code: "unsafe-url" }));
  });

  test.each(["ftp:", "ws:", "file:"])("a request over %s is not allowed, also on this machine", (protocol) => {
    const check = (): void =>
      createUrlRules(new URL("http://localhost/")).check(new URL(`${protocol}//localhost/`), "document");
    expect(check).toThrow(expect.objectContaining({ code: "unsafe-url" }));
  });

  test("a rule for URLs can be relaxed by name", () => {
    const rules = createUrlRules(new URL("https://mcp.example/"), ["private"]);
    rules.check(new URL("https://10.0.0.1/"), "document");
    expect(() => rules.check(new URL("https://169.254.1.1/"), "document")).toThrow(
      expect.objectContaining({ code: "unsafe-url" }),
    );
  });

  test("a rule for URLs checks the address of a name, before a byte is sent there", async () => {
    const server = createServer((_request, response) => response.end("secret"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    let connections = 0;
    server.on("connection", () => (connections += 1));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const requested: string[] = [];
    const fetch = createPinnedFetch((found, host) => {
      requested.push(`${host} ${found}`);
      throw new Error("refused");
    });
    await expect(fetch(new URL(`http://localhost:${port}/`), {})).rejects.toThrow("refused");
    expect(requested[0]).toMatch(/^localhost (127\.0\.0\.1|::1)$/);
    expect(connections).toBe(0);
    const open = createPinnedFetch(() => {});
    expect(await (await open(new URL(`http://localhost:${port}/`), {})).text()).toBe("secret");
    await new Promise((resolve) => server.close(resolve));
  });

  test.each<readonly [number, string | null]>([
    [200, "body"],
    [204, null],
    [304, null],
    [599, "body"],
  ])("a response with the status %i is read, with the body %s", async (status, body) => {
    const response = await fetchStatus(status);
    expect([response.status, response.body === null ? null : await response.text()]).toEqual([status, body]);
  });

  // An exception in the listener of the response would end the process.
  test.each([101, 600, 999])("a response with the status %i is an error", async (status) => {
    await expect(fetchStatus(status)).rejects.toThrow(`status ${status}`);
  });
});

/** Fetches from a server that responds with any status, as `http.Server` would not. */
async function fetchStatus(status: number): Promise<Response> {
  const text = [200, 599].includes(status) ? "body" : "";
  const server = createTcpServer((socket) => {
    const close = "Connection: close\r\n";
    socket.once("data", () =>
      socket.end(`HTTP/1.1 ${status} Any\r\nContent-Length: ${text.length}\r\n${close}\r\n${text}`),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return createPinnedFetch(() => {})(new URL(`http://127.0.0.1:${port}/`), {});
}

describe("opening a browser", () => {
  test.each(["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "vbscript:x", "ms-settings:x"])(
    "a browser is not opened for %s",
    async (url) => {
      await expect(openBrowser(new URL(url))).rejects.toMatchObject({ code: "unsafe-url" });
    },
  );

  // On Windows, the program has a full path.
  test.runIf(process.platform !== "win32").each(["http:", "https:"])(
    "a browser is opened for %s, and its missing program is named in the error",
    async (protocol) => {
      vi.stubEnv("PATH", "");
      onTestFinished(() => void vi.unstubAllEnvs());
      const [program] = findOpener(process.platform);
      await expect(openBrowser(new URL(`${protocol}//as.example/authorize`))).rejects.toMatchObject({
        code: "authorization-incomplete",
        message: `The browser could not be opened; install ${program}`,
      });
    },
  );

  test("a browser is opened by a program of the platform, without a shell", () => {
    expect(findOpener("darwin")).toEqual(["open", []]);
    expect(findOpener("linux")).toEqual(["xdg-open", []]);
    expect(findOpener("win32")).toEqual(["C:\\Windows\\System32\\rundll32.exe", ["url.dll,FileProtocolHandler"]]);
  });
});
