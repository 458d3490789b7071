import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadTables } from "../../cli/commands/load-tables.ts";
import { pinExtension } from "../../generator/pin/pin-extension.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { isObject, type Extension, type Revision } from "../../generated/support.ts";
import { createUntypedClient } from "../../runtime/client/create-client.ts";
import { createServer } from "../../runtime/server/create-server.ts";
import { defineExtension } from "../../runtime/server/extensions/define-extension.ts";
import { compareExtensionModels } from "../../tools/diff/revisions.ts";
import { connectInProcess } from "./memory.ts";
import type { Step } from "./step.ts";

const id = "com.example/echo";

/** Schema of an extension. Its second version renames a member, and has another method. */
function schemaOf(version: 1 | 2): string {
  const [member, spell] = version === 1 ? ["text", ""] : ["words", "SpellEcho"];
  const messages = ["SayEcho", ...(spell ? [spell] : [])];
  const declared = messages.map(
    (name) => `/** Request. */
export interface ${name}Request {
  method: "echo/${name.replace("Echo", "").toLowerCase()}";
  params: ${name}RequestParams;
}

/** Params. */
export interface ${name}RequestParams {
  ${member}: string;
  tool?: Tool;
}

/** Result. */
export interface ${name}Result {
  ${member}: string;
}
`,
  );
  return `import type { Tool } from "../schema";

${declared.join("\n")}
/** Settings. */
export interface EchoSettings {
  loud?: boolean;
}

export type EchoClientMessage = ${messages.map((name) => `${name}Request`).join(" | ")};
`;
}

/** Pins an extension of the fictional revision, serves it, and does the same with its second version. */
export async function pinTwice(
  step: Step,
  { spec, root }: { readonly spec: string; readonly root: string },
): Promise<void> {
  const extension = join(root, "echo.ts");
  await writeFile(extension, schemaOf(1));
  const first = await pinExtension({ extension, id, spec });
  step.expect("decisions of the first version", first.decisions.open, []);
  await converse(step, spec, "text");
  await writeFile(extension, schemaOf(2));
  const rejected = await pinExtension({ extension, id, spec }).catch((error: unknown) => error);
  step.check("another schema is rejected without force", rejected instanceof UserError, rejected);
  const second = await pinExtension({ extension, id, spec, force: true });
  step.expect("decisions of the second version", second.decisions.open, []);
  const { model, previous } = second;
  const { changes } = model && previous ? compareExtensionModels(previous, model) : { changes: [] };
  for (const subject of ["echo/spell", "text", "words"])
    step.check(
      `the comparison names ${subject}`,
      changes.some((change) => `${change.subject} ${change.detail}`.includes(subject)),
      changes.map((change) => `${change.subject}: ${change.detail}`),
    );
  await converse(step, spec, "words");
}

/** Serves the extension at every revision, to a client of the same tables. */
async function converse(step: Step, spec: string, member: string): Promise<void> {
  const { revisions, extensions } = await loadTables(spec);
  const table = extensions.find((one) => one.id === id);
  if (!table) throw new Error(`The spec folder has no tables of ${id}`);
  for (const revision of revisions) {
    const result = await call(table, revision, member);
    step.expect(`the result of echo/say at ${revision.id}`, isObject(result) && result[member], "echo");
    const wrong = await call(table, revision, "sound").catch((error: unknown) => error);
    step.check(`other params of echo/say are rejected at ${revision.id}`, wrong instanceof Error, wrong);
  }
}

async function call(table: Extension, revision: Revision, member: string): Promise<unknown> {
  const served = defineExtension(table, { requests: { "echo/say": (params: unknown) => ({ ...Object(params) }) } });
  const server = createServer({ name: "drill", version: "1", extensions: [served] }, [revision]);
  const client = createUntypedClient({
    info: { name: "drill", version: "1" },
    revisions: [revision],
    extensions: [table],
  });
  try {
    const session = await client.connect(connectInProcess(server));
    return await session.request("echo/say", { [member]: "echo" });
  } finally {
    await client.close();
    await server.close();
  }
}
