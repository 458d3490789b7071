import { expect, test } from "vitest";
import { run } from "../../../../generator/scaffold/create/run.ts";

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
