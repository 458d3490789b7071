import { cp, readFile, writeFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSpecRevisions } from "../../../cli/commands/spec-revisions.ts";
import { knownExtensions } from "../../../runtime/gateway/extensions.ts";
import { createTemporaryFolder } from "../../kit/temporary-folders.ts";

const clause = "https://example.com/echo";

const schema = `import type { Request, Result } from "../../2026-07-28/schema";

/** Request to repeat a text. */
export interface SayEchoRequest extends Request {
  method: "echo/say";
  params: { text: string };
}

/** Result with the text. */
export interface SayEchoResult extends Result {
  text: string;
}

/** Settings of the extension. */
export interface EchoCapability {
  loud?: boolean;
}
`;

test("commands know the extensions of a spec folder in addition to the ones of this package", async () => {
  const spec = join(await createTemporaryFolder("extension-tables"), "spec");
  await cp("spec", spec, { recursive: true });
  await mkdir(join(spec, "extensions", "echo"));
  await writeFile(join(spec, "extensions", "echo", "schema.ts"), schema);
  const overlay = {
    id: "com.example/echo",
    lifecycles: { clause, kinds: ["per-request"] },
    declared: { clause, client: "EchoCapability", server: "EchoCapability" },
    methods: { "echo/say": { clause, senders: ["client"] } },
  };
  await writeFile(join(spec, "extensions", "echo", "overlay.json"), JSON.stringify(overlay));
  const pins = JSON.parse(await readFile(join(spec, "pins.json"), "utf8"));
  pins.extensions.echo = { status: "draft", source: clause };
  await writeFile(join(spec, "pins.json"), JSON.stringify(pins));
  const { extensions } = await openSpecRevisions({ spec });
  expect(extensions.slice(0, -1)).toEqual(knownExtensions);
  const echo = extensions.at(-1);
  expect(echo?.id).toBe("com.example/echo");
  const row = echo?.clientRequests["echo/say"];
  expect(row?.params({ text: 1 })).toMatchObject({ path: "text" });
  expect(row?.result({ text: "", resultType: "complete" })).toBeUndefined();
});
