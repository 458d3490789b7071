import { describe, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { SetupError } from "../../../../runtime/jsonrpc/errors.ts";

const text = (): string => "";
const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

/** Mistakes that only the lists of a server would show, in definitions of JavaScript programs. */
const mistakes: readonly (readonly [string, keyof typeof usual, object, string])[] = [
  ["a title that is null", "tools", { title: null }, 'Tool "x": revision 2026-07-28 requires string at title'],
  ["a media type that is null", "resources", { mimeType: null }, 'Resource "a:x": revision 2026-07-28 requires'],
  ["no name", "resources", { name: undefined }, "at name"],
  ["an audience that is no list", "resources", { annotations: { audience: "user" } }, "at annotations/audience"],
  ["an icon without text as its source", "resources", { icons: [{ src: 5 }] }, "at icons/0/src"],
  ["a bigint in its metadata", "resources", { _meta: { a: 1n } }, "cannot be encoded as JSON"],
  ["no name", "resourceTemplates", { name: undefined }, 'Resource template "a:{x}": revision 2026-07-28 requires'],
  ["a description that is a number", "resourceTemplates", { description: 5 }, "at description"],
  [
    "a description that is null",
    "prompts",
    { description: null },
    'Prompt "x": revision 2026-07-28 requires string at description',
  ],
  ["an argument that is required with text", "prompts", { arguments: { a: { required: "yes" } } }, "at arguments/0"],
  ["metadata that contains itself", "prompts", { _meta: cyclic }, "cannot be encoded as JSON"],
  ["metadata that contains itself", "tools", { _meta: cyclic }, "cannot be encoded as JSON"],
  ["a scope with a blank", "tools", { scopes: ["a b"] }, 'Tool "x": "a b" is not a scope'],
  ["a scope beyond ASCII", "resources", { scopes: ["ä"] }, 'Resource "a:x": "ä" is not a scope'],
  ["a scope with a line break", "resourceTemplates", { scopes: ["a\nb"] }, "is not a scope"],
  ["the scope offline_access", "prompts", { scopes: ["offline_access"] }, "is not a scope of a resource"],
];

const usual = {
  tools: { name: "x", execute: text },
  resources: { uri: "a:x", name: "x", read: text },
  resourceTemplates: { uriTemplate: "a:{x}", name: "x", read: text },
  prompts: { name: "x", get: text },
};

describe.each(mistakes)("a definition with %s in %s", (_what, member, mistake, message) => {
  const wrong = { ...usual[member], ...mistake };

  test("the definition is rejected with its name at setup", () => {
    const define = (): unknown => createServer({ name: "test", version: "1", [member]: [wrong] }, revisions);
    expect(define).toThrow(SetupError);
    expect(define).toThrow(message);
  });

  test("the definition is rejected when it is added, and the list stays as it was", () => {
    const server = createServer({ name: "test", version: "1", [member]: [] }, revisions);
    expect(() => Reflect.apply(server[member].add, server[member], [wrong])).toThrow(message);
    expect([...server[member]]).toEqual([]);
  });
});

test("usual definitions are accepted at every revision", () => {
  const annotated = { annotations: { audience: ["user"], priority: 1 } };
  const argument = { description: "An a", required: true };
  const icons = [{ src: "https://example.com/i.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" as const }];
  const more = { title: "X", description: "An x", icons, _meta: { "example.com/a": [1] }, scopes: ["read:x"] };
  for (const revision of revisions) {
    const define = (): unknown =>
      createServer(
        {
          name: "test",
          version: "1",
          tools: [{ ...usual.tools, ...more }],
          resources: [{ ...usual.resources, ...more, ...annotated }],
          resourceTemplates: [{ ...usual.resourceTemplates, ...more, mimeType: "text/plain" }],
          prompts: [{ ...usual.prompts, ...more, arguments: { a: argument } }],
        },
        revisions.slice(revisions.indexOf(revision)),
      );
    expect(define).not.toThrow();
  }
});
