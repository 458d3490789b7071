import { revisions } from "../../../../generated/revisions.ts";
import { requireApiKey } from "../../../../runtime/auth/server/api-key.ts";
import { requireBearerToken } from "../../../../runtime/auth/server/bearer-token.ts";
import { runServer } from "../../../../runtime/server/run/run-server.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import { createUiResource } from "../../../../runtime/server/apps/ui-resource.ts";
import { readSkills } from "../../../../runtime/skills/folder.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";

/** Programs with a mistake in what they serve: the first word says which. */

const hello = { name: "hello", execute: () => "hello" };
const define = (more: Partial<AnyServerDefinition>) =>
  createServer({ name: "broken", version: "1", ...more }, revisions);

const mistakes: Readonly<Record<string, () => unknown>> = {
  name: () => define({ tools: [{ ...hello, name: "say hello" }] }),
  twice: () => define({ tools: [hello, hello] }),
  size: () => define({ pageSize: 0 }),
  uri: () => define({ resources: [{ uri: "today", name: "today", read: () => "" }] }),
  template: () => define({ resourceTemplates: [{ uriTemplate: "a://{b", name: "b", read: () => "" }] }),
  meta: () => define({ tools: [{ ...hello, ...{ _meta: { "a.mcp/x": 1 } } }] }),
  keys: () => define({ cursorKeys: [new Uint8Array(1)] }),
  view: () => createUiResource({ uri: "ui://y", name: "y", html: "" }),
  skills: () => readSkills("/there/is/none", { parseYaml: () => ({}) }),
  issuer: () => requireBearerToken({ resource: "https://a.example/mcp", issuer: "b.example", verify: () => undefined }),
  key: () => requireApiKey({ keys: [{ principal: "ci", key: "short" }] }),
  listen: () => serveHttp(define({}), { host: "0.0.0.0" }),
  own: () => {
    throw new TypeError("A mistake of the program.");
  },
  caught: () => {
    try {
      return define({ pageSize: 0 });
    } catch {
      throw new TypeError("A mistake of the program.");
    }
  },
  handled: () => {
    process.on("uncaughtException", (error) => console.error("handled:", error.message));
    return define({ pageSize: 0 });
  },
};

await mistakes[process.argv[2] ?? ""]?.();
await runServer(define({ tools: [hello] }));
