import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createProgram } from "../../../kit/programs.ts";

/* What somebody reads who starts a server and says where it shall listen. */

const script = await createProgram(new URL("./run-server.ts", import.meta.url));
const broken = await createProgram(new URL("./broken-server.ts", import.meta.url));

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return execute([script, ...args], variables);
}

function execute(args: readonly string[], variables: Readonly<Record<string, string>>): Promise<Ended> {
  const { PORT: _port, MCP_HTTP_PORT: _httpPort, HOST: _host, ALLOWED_HOSTS: _hosts, ...env } = process.env;
  return new Promise((resolve) => {
    const options = { env: { ...env, ...variables }, timeout: 100_000 };
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

async function takePort(): Promise<number> {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => taken.close(() => resolve())));
  const address = taken.address();
  return typeof address === "object" && address ? address.port : 0;
}

const range = "is not a port; use 0 (any free port) to 65535";

describe("a program that cannot listen", () => {
  const ports: readonly (readonly [
    what: string,
    args: readonly string[],
    env: Record<string, string>,
    line: string,
  ])[] = [
    ["a word for a port", ["--http", "abc"], {}, `--http abc ${range}`],
    ["no port", ["--http"], {}, `--http ${range}`],
    ["a port that there is not", [], { MCP_HTTP_PORT: "99999" }, `MCP_HTTP_PORT=99999 ${range}`],
    ["a variable that is a word", [], { MCP_HTTP_PORT: "abc" }, `MCP_HTTP_PORT=abc ${range}`],
    ["a variable without a value", [], { MCP_HTTP_PORT: "", PORT: "0" }, `MCP_HTTP_PORT= ${range}`],
    ["half a port", ["--http", "3.5"], { MCP_HTTP_PORT: "0" }, `--http 3.5 ${range}`],
    [
      "other machines that are not named",
      ["--http", "0"],
      { HOST: "0.0.0.0" },
      "The address 0.0.0.0 is reachable from other machines; set allowedHosts or the environment variable ALLOWED_HOSTS",
    ],
    [
      "other machines and an empty list of names",
      ["--http", "0"],
      { HOST: "0.0.0.0", ALLOWED_HOSTS: " , " },
      "The address 0.0.0.0 is reachable from other machines; set allowedHosts or the environment variable ALLOWED_HOSTS",
    ],
    [
      "an address of another machine",
      ["--http", "0"],
      { HOST: "192.0.2.1", ALLOWED_HOSTS: "a.example" },
      "The server cannot listen on 192.0.2.1:0: the address is not available on this machine; use another one, such as 127.0.0.1",
    ],
  ];
  for (const mode of [[], ["either"]]) {
    test.each(ports)(
      `a program that cannot listen prints a line and exits with 1: %s ${mode.join("")}`,
      async (_what, args, env, line) => {
        expect(await start([...mode, ...args], env)).toEqual({ code: 1, stdout: "", stderr: `fixture: ${line}\n` });
      },
    );
  }

  test("a program listens on the port of the hosting platform", async () => {
    const line = `fixture: PORT=abc ${range}\n`;
    expect(await start([], { PORT: "abc" })).toEqual({ code: 1, stdout: "", stderr: line });
  });

  test("a program with a port in use prints a line and exits with 1", async () => {
    const port = await takePort();
    const line = `fixture: The server cannot listen on 127.0.0.1:${port}: the address is in use; stop the other program or use another port\n`;
    expect(await start(["--http", String(port)])).toEqual({ code: 1, stdout: "", stderr: line });
  });
});

describe("the command line of a built server", () => {
  test.each([[["--help"]], [["-h"]], [["--http", "0", "--help"]]])(
    "the option %j prints the options, and the program exits with 0",
    async (args) => {
      const { code, stdout, stderr } = await start(["either", ...args]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/^fixture 1: a Model Context Protocol server/);
      expect(stdout).toContain("--http PORT");
      expect(stdout).toContain("ALLOWED_HOSTS");
    },
  );

  test("--help of a server on stdio lists no options of HTTP", async () => {
    const { stdout } = await start(["stdio", "--help"]);
    expect(stdout).toContain("--version");
    expect(stdout).not.toMatch(/--http|PORT/);
  });

  test.each(["either", "stdio", "http"])(
    "--version prints the version of a server for %s, and the program exits with 0",
    async (mode) => {
      expect(await start([mode, "--version"])).toEqual({ code: 0, stdout: "1\n", stderr: "" });
    },
  );

  test.each([
    ["either", ["--port", "3000"], "--port"],
    ["http", ["--port=3000"], "--port"],
    ["either", ["-p", "3000"], "-p"],
    ["stdio", ["--https"], "--https"],
    ["either", ["--toString"], "--toString"],
  ])("a program of a server for %s rejects %j and exits with 2", async (mode, args, option) => {
    const stderr = `fixture: Unknown option ${option}; see --help\n`;
    expect(await start([mode, ...args])).toEqual({ code: 2, stdout: "", stderr });
  });

  test.each([
    ["stdio", ["--http", "3000"], "--http", "stdio,http"],
    ["either", ["--tcp=1"], "--tcp", "stdio,http,tcp"],
    ["http", ["--websocket"], "--websocket", "http,websocket"],
  ])("a program of a server for %s without %j names the command that adds it", async (mode, args, option, all) => {
    const remedy = `to add it: npx create-mcp-server update --transport ${all}`;
    const stderr = `fixture: The server has no ${option}; ${remedy}\n`;
    expect(await start([mode, ...args])).toEqual({ code: 2, stdout: "", stderr });
  });

  test("options that the program reads itself are left to it", async () => {
    expect(await start(["either", "--own", "--port", "3000"], { MCP_HTTP_PORT: "abc" })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("MCP_HTTP_PORT=abc"),
    });
  });
});

/** Returns the stderr of a program until it serves over HTTP or ends; its stdin is empty. */
function serveUntilToldOff(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  stdin: "pipe" | "ignore",
): Promise<string> {
  const { PORT: _port, MCP_HTTP_PORT: _httpPort, HOST: _host, ALLOWED_HOSTS: _hosts, ...rest } = process.env;
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...rest, ...env },
    stdio: [stdin, "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin?.end();
  return new Promise((resolve) => {
    let text = "";
    child.stderr?.on("data", (chunk) => {
      text += String(chunk);
      if (/is served at .*\n/.test(text)) resolve(text);
    });
    child.on("close", () => resolve(text));
  });
}

describe("a program that serves either on stdio or over HTTP", () => {
  const served = /fixture is served at http:\/\/127\.0\.0\.1:\d+\/mcp\n$/;
  const ended = /^fixture ends: stdin has ended without a message; add --http 3000 for HTTP .*\n$/;

  test.each([
    ["PORT does not change it where stdin is a pipe", [], { PORT: "0" }, "pipe", ended],
    ["not even a PORT that is none", [], { PORT: "abc" }, "pipe", ended],
    ["says that stdin is empty", [], {}, "ignore", ended],
    ["PORT chooses HTTP where stdin is none", [], { PORT: "0" }, "ignore", served],
    ["MCP_HTTP_PORT chooses HTTP", [], { MCP_HTTP_PORT: "0", PORT: "abc" }, "pipe", served],
    ["--http chooses HTTP", ["--http", "0"], { PORT: "abc" }, "pipe", served],
  ] as const)("a program for stdio or HTTP serves %s", async (_, args, env, stdin, said) => {
    expect(await serveUntilToldOff(["either", ...args], env, stdin)).toMatch(said);
  });

  test.each([
    [
      "warns when other machines reach it and no client is authenticated",
      { HOST: "0.0.0.0" },
      [],
      /^fixture: Warning: the server is reachable from other machines/,
    ],
    ["does not warn on this machine", { HOST: "::1" }, [], /^fixture is served/],
    ["listens on this machine without a value", { HOST: "" }, [], /^fixture is served at http:\/\/127\.0\.0\.1:/],
    ["does not warn when clients are authenticated", { HOST: "0.0.0.0" }, ["authenticated"], /^fixture is served/],
  ] as const)("a program for stdio or HTTP serves at %s", async (_, env, words, said) => {
    const all = { ...env, ALLOWED_HOSTS: "a.example" };
    expect(await serveUntilToldOff(["either", "--http", "0", ...words], all, "pipe")).toMatch(said);
  });
});

describe("a program with an invalid definition", () => {
  const characters = 'use 1 to 128 of the characters A-Z a-z 0-9 "_" "-" "."';
  const advice = "(set NODE_DEBUG=mcp to print the stack)";
  const lines: readonly (readonly [mistake: string, line: string])[] = [
    ["name", `Tool name "say hello" is rejected by some clients; ${characters}`],
    ["twice", 'tools[0] and tools[1] have the same name "hello"; rename one of them'],
    ["size", "pageSize is 0; use a whole number above 0, or omit it for the default"],
    ["uri", 'Resource "today" has no absolute URI; use one such as "notes://today"'],
    ["template", expect.stringContaining('URI template "a://{b", character 5: ')],
    ["meta", expect.stringContaining('Tool "hello": the key "a.mcp/x" of _meta is not valid: ')],
    ["keys", "cursorKeys requires at least one key with 32 random bytes or more each"],
    ["view", expect.stringContaining("it must be a complete document that begins with <!doctype html>")],
    ["skills", expect.stringContaining("/there/is/none")],
    ["issuer", 'issuer is "b.example"; use an https URL without query and fragment (http only on loopback)'],
    [
      "key",
      expect.stringContaining("API key 1 has fewer than 24 characters; create one with `openssl rand -base64 32`"),
    ],
    ["listen", expect.stringContaining("set allowedHosts or the environment variable")],
  ];
  test.each(lines)("a program with an invalid definition prints a line and exits with 1: %s", async (mistake, line) => {
    const { code, stdout, stderr } = await execute([broken, mistake], {});
    const [first = "", ...others] = stderr.split("\n");
    expect({ code, stdout, others }).toEqual({ code: 1, stdout: "", others: [""] });
    expect(first.startsWith("[mcp] ") && first.endsWith(` ${advice}`), first).toBe(true);
    expect(first.slice("[mcp] ".length, -advice.length - 1)).toEqual(line);
  });

  test("a program with an invalid definition prints a line also over HTTP", async () => {
    const line = `[mcp] tools[0] and tools[1] have the same name "hello"; rename one of them ${advice}\n`;
    expect(await execute([broken, "twice", "--http", "0"], {})).toEqual({ code: 1, stdout: "", stderr: line });
  });

  test("a program with an invalid definition prints the stack when it is requested", async () => {
    const { code, stderr } = await execute([broken, "twice"], { NODE_DEBUG: "http2,MCP" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/SetupError: tools\[0\] and .*\n\s+at /);
  });

  test.each(["own", "caught"])("a program keeps the stack of other errors: %s", async (mistake) => {
    const { code, stderr } = await execute([broken, mistake], {});
    expect(code).toBe(1);
    expect(stderr).toMatch(/TypeError: A mistake of the program\.\n\s+at /);
  });

  test("a program that catches the error prints its own message", async () => {
    const { code, stderr } = await execute([broken, "handled"], {});
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "handled: pageSize is 0; use a whole number above 0, or omit it for the default\n",
    });
  });
});

describe("a program on stdin and stdout", () => {
  const asTerminal = "data:text/javascript,Object.defineProperty(process.stdin, 'isTTY', { value: true })";

  const terminal = "in a terminal says that it waits for a client";
  const waits = "fixture waits for a client on stdin and stdout;";

  test.each([
    ["stdio", terminal, ["--import", asTerminal], `${waits} see --help\n`],
    ["either", terminal, ["--import", asTerminal], `${waits} add --http 3000 for HTTP (npm: -- --http 3000)\n`],
    ["stdio", "of a host prints nothing", [], ""],
    ["either", "of a host prints nothing", [], ""],
  ])("a program of a server for %s %s", async (mode, _what, flags, expected) => {
    const { PORT: _port, MCP_HTTP_PORT: _httpPort, ...env } = process.env;
    const child = spawn(process.execPath, [...flags, script, mode], { env });
    onTestFinished(() => void child.kill());
    let stderr = "";
    child.stderr.on("data", (chunk) => (stderr += String(chunk)));
    const responded = once(child.stdout, "data");
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await responded;
    child.stdin.end();
    await once(child, "close");
    expect(stderr).toBe(expected);
  });
});
