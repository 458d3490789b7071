import { expect, test } from "vitest";
import { run } from "../../../../generator/scaffold/create/run.ts";

test.each(["linux", "win32"])("a program ends when nobody wants it any more, on %s", async (platform) => {
  const stop = new AbortController();
  const ended = run(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
    folder: import.meta.dirname,
    signal: stop.signal,
    platform,
  });
  setTimeout(() => stop.abort(), 200);
  expect(await ended).toMatchObject({ ok: false });
});

test("a program that cannot be started says why, and rejects nothing", async () => {
  expect(await run("no-such-program", [], { folder: import.meta.dirname })).toMatchObject({
    ok: false,
    output: expect.stringContaining("ENOENT"),
  });
});
