import { afterEach, beforeEach, expect, test } from "vitest";
import { createStdioWires } from "../../../tools/check/wires/stdio-wire.ts";
import { UserError } from "../../../generator/internal/user-error.ts";

const platform = process.platform;

beforeEach(() => void Object.defineProperty(process, "platform", { value: "win32" }));
afterEach(() => void Object.defineProperty(process, "platform", { value: platform }));

test("an argument that Windows cannot pass to a script is reported without a stack", async () => {
  const { open } = createStdioWires({ command: "server.cmd", args: ["a\nb"], env: {}, timeout: 1_000 });
  const opening = open();
  await expect(opening).rejects.toThrow(UserError);
  await expect(opening).rejects.toThrow(/^server\.cmd is a script .* without line breaks in arguments; remove them$/);
});
