import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createProgram } from "../../program.ts";

/* What somebody reads who starts a server and says where it shall listen. */

const script = await createProgram(new URL("./run-server.ts", import.meta.url));

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const { PORT: _port, HOST: _host, ALLOWED_HOSTS: _hosts, ...env } = process.env;
  return new Promise((resolve) => {
    const options = { env: { ...env, ...variables }, timeout: 20_000 };
    execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) =>
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
