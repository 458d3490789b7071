import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exampleCall, makeFirstCall } from "../../../../generator/scaffold/create/first-call.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";

/** A project whose server answers each request with these lines. */
function serverThatWrites(...lines: readonly object[]): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "dist"));
  const text = lines.map((line) => `${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`).join("");
  writeFileSync(
    join(folder, "dist", "server.js"),
    `require("node:readline").createInterface({ input: process.stdin }).on("line", () => process.stdout.write(${JSON.stringify(text)}));`,
  );
  return folder;
}

const caller = { revision: "any", isStateless: true };

test("the first call finds its response after a log message of the tool", async () => {
  const log = { method: "notifications/message", params: { level: "info", data: "measuring" } };
  const folder = serverThatWrites(log, { id: 1, result: { content: [{ type: "text", text: "2 words" }] } });
  expect(await makeFirstCall(exampleCall, { folder, ...caller })).toBe("2 words");
});

test("the first call rejects if the server ends without a response", async () => {
  const folder = serverThatWrites();
  writeFileSync(join(folder, "dist", "server.js"), "process.exit(3)");
  await expect(makeFirstCall(exampleCall, { folder, ...caller })).rejects.toThrow("ended without an answer");
});
