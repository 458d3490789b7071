import { expect, test } from "vitest";
import { lastLines, run } from "../../../../generator/scaffold/create/run.ts";

test.each(["linux", "win32"])("a program on %s ends if its signal is aborted", async (platform) => {
  const stop = new AbortController();
  const ended = run(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
    folder: import.meta.dirname,
    signal: stop.signal,
    platform,
  });
  setTimeout(() => stop.abort(), 200);
  expect(await ended).toMatchObject({ ok: false });
});

test("a program that cannot be started resolves with its error", async () => {
  expect(await run("no-such-program", [], { folder: import.meta.dirname })).toMatchObject({
    ok: false,
    output: expect.stringContaining("ENOENT"),
  });
});

const unreachable = `npm error code ECONNREFUSED
npm error FetchError: request to http://127.0.0.1:1/zod failed, reason: connect ECONNREFUSED 127.0.0.1:1
npm error     at ClientRequest.<anonymous> (/usr/lib/node_modules/npm/node_modules/minipass-fetch/lib/index.js:130:14)
npm error     at ClientRequest.emit (node:events:524:28) {
npm error   code: 'ECONNREFUSED',
npm error   errno: 'ECONNREFUSED',
npm error   syscall: 'connect',
npm error   address: '127.0.0.1',
npm error   port: 1,
npm error   type: 'system',
npm error   requiredBy: '.'
npm error }
npm error
npm error If you are behind a proxy, please make sure that the 'proxy' config is set properly.
npm error A complete log of this run can be found in: /tmp/debug-0.log
`;

const thrown = `file:///x/server.js:1
throw new Error("KEY is missing");

Error: KEY is missing
${Array.from({ length: 10 }, (_, index) => `    at frame${index} (file:///x/server.js:${index}:1)`).join("\n")}

Node.js v22.0.0
`;

test.each([
  [
    "npm",
    unreachable,
    [
      /^npm error code ECONNREFUSED$/m,
      /^npm error FetchError: .* ECONNREFUSED 127.0.0.1:1$/m,
      /^npm error A complete log/m,
    ],
  ],
  ["a program of Node", thrown, [/^Error: KEY is missing$/m, /^Node\.js/m]],
  ["a program", "at last\n  an indented line\nit failed\n", [/^at last\n {2}an indented line\nit failed$/]],
])("the last lines of %s contain the cause of its failure", (_program, output, causes) => {
  const lines = lastLines({ ok: false, output });
  for (const cause of causes) expect(lines).toMatch(cause);
  expect(lines).not.toMatch(/^(?:npm error)?\s+at /m);
  expect(lines.split("\n").length).toBeLessThanOrEqual(8);
});
