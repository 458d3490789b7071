import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createProgram } from "../../program.ts";

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
  const { PORT: _port, HOST: _host, ALLOWED_HOSTS: _hosts, ...env } = process.env;
  return new Promise((resolve) => {
    const options = { env: { ...env, ...variables }, timeout: 20_000 };
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

const range = "give a port from 0 (any free one) to 65535.";

describe(
  "a program that cannot listen where it should says why in a line, and ends with 1",
  { timeout: 30_000 },
  () => {
    const ports: readonly (readonly [
      what: string,
      args: readonly string[],
      env: Record<string, string>,
      line: string,
    ])[] = [
      ["a word for a port", ["--http", "abc"], {}, `--http abc: ${range}`],
      ["no port", ["--http"], {}, `--http: ${range}`],
      ["a port that there is not", [], { PORT: "99999" }, `PORT=99999: ${range}`],
      ["a variable that is a word", [], { PORT: "abc" }, `PORT=abc: ${range}`],
      ["a variable without a value", [], { PORT: "" }, `PORT=: ${range}`],
      ["half a port", [], { PORT: "3.5" }, `PORT=3.5: ${range}`],
      [
        "other machines that are not named",
        ["--http", "0"],
        { HOST: "0.0.0.0" },
        "Listening on 0.0.0.0 lets other machines in: name the hosts that they may use in allowedHosts, or in the variable ALLOWED_HOSTS of a project.",
      ],
      [
        "an address of another machine",
        ["--http", "0"],
        { HOST: "192.0.2.1", ALLOWED_HOSTS: "a.example" },
        "Nothing can be served at 192.0.2.1:0: this machine does not have that address. Choose one of its own, such as 127.0.0.1.",
      ],
    ];
    for (const mode of [[], ["either"]]) {
      test.each(ports)(`%s ${mode.join("")}`, async (_what, args, env, line) => {
        expect(await start([...mode, ...args], env)).toEqual({ code: 1, stdout: "", stderr: `fixture: ${line}\n` });
      });
    }

    test("a port that is taken", async () => {
      const port = await takePort();
      const line = `fixture: Nothing can be served at 127.0.0.1:${port}: another program listens there. End it, or choose another port.\n`;
      expect(await start(["--http", String(port)])).toEqual({ code: 1, stdout: "", stderr: line });
    });
  },
);

describe("a program that cannot serve what it defines says why in a line, and ends with 1", { timeout: 30_000 }, () => {
  const characters = 'use 1 to 128 of the characters A-Z a-z 0-9 "_" "-" ".", others are refused by some clients.';
  const advice = "NODE_DEBUG=mcp shows the stack.";
  const lines: readonly (readonly [mistake: string, line: string])[] = [
    ["name", `Tool name "say hello": ${characters}`],
    ["twice", 'tools[0] and tools[1] have the same name "hello": rename one of them.'],
    ["size", "pageSize is 0: use a whole number above 0, or leave it out for the default."],
    ["uri", 'Resource "today": a resource needs an absolute URI, for example "notes://today".'],
    ["template", expect.stringContaining('URI template "a://{b", character 5: ')],
    ["meta", expect.stringContaining('Tool "hello": the key "a.mcp/x" of _meta is wrong: ')],
    ["keys", "cursorKeys needs at least one key, and 32 random bytes or more for each."],
    ["view", expect.stringContaining("it must be a whole document that begins with <!doctype html>.")],
    ["skills", expect.stringContaining("/there/is/none")],
    ["issuer", 'issuer is "b.example": use an https URL without query and fragment (http only for this machine).'],
    ["key", expect.stringContaining("The API key of ci is none: use 24 characters or more")],
    ["listen", expect.stringContaining("name the hosts that they may use in allowedHosts")],
  ];
  test.each(lines)("%s", async (mistake, line) => {
    const { code, stdout, stderr } = await execute([broken, mistake], {});
    const [first = "", ...others] = stderr.split("\n");
    expect({ code, stdout, others }).toEqual({ code: 1, stdout: "", others: [""] });
    expect(first.startsWith("[mcp] ") && first.endsWith(` ${advice}`), first).toBe(true);
    expect(first.slice("[mcp] ".length, -advice.length - 1)).toEqual(line);
  });

  test("also where it would serve over HTTP", async () => {
    const line = `[mcp] tools[0] and tools[1] have the same name "hello": rename one of them. ${advice}\n`;
    expect(await execute([broken, "twice", "--http", "0"], {})).toEqual({ code: 1, stdout: "", stderr: line });
  });

  test("whoever wants to see the stack sees it", async () => {
    const { code, stderr } = await execute([broken, "twice"], { NODE_DEBUG: "http2,MCP" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/SetupError: tools\[0\] and .*\n\s+at /);
  });

  test.each(["own", "caught"])("what is no mistake of a definition keeps its stack: %s", async (mistake) => {
    const { code, stderr } = await execute([broken, mistake], {});
    expect(code).toBe(1);
    expect(stderr).toMatch(/TypeError: A mistake of the program\.\n\s+at /);
  });

  test("a program that handles it says it in its own words", async () => {
    const { code, stderr } = await execute([broken, "handled"], {});
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "handled: pageSize is 0: use a whole number above 0, or leave it out for the default.\n",
    });
  });
});
