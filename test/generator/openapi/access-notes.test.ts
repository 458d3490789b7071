import { describe, expect, test } from "vitest";
import { sourceNotes } from "../../../generator/openapi/source-notes.ts";
import { toSource } from "../../../generator/openapi/source.ts";

/* Security schemes of an API: those whose credentials are sent, and the notes about the others. */

const schemes = {
  k: { type: "apiKey", in: "header", name: "X-Key" },
  d: { type: "http", scheme: "digest" },
  h: { type: "http", scheme: "hoba" },
  m: { type: "mutualTLS" },
};

type Security = readonly Readonly<Record<string, readonly string[]>>[] | undefined;

/** Reads a document whose operations have these security requirements. Returns the credentials that each one sends, and the notes. */
function read(securities: readonly Security[], names: readonly string[] = Object.keys(schemes)): unknown {
  const entries = Object.entries(schemes).filter(([name]) => names.includes(name));
  const operation = (security: Security): object => ({
    get: { responses: { 204: { description: "ok" } }, ...(security && { security }) },
  });
  const document = {
    openapi: "3.1.0",
    info: { title: "Doors", version: "1.0.0" },
    components: { securitySchemes: Object.fromEntries(entries) },
    paths: Object.fromEntries(securities.map((security, at) => [`/${"opqrst"[at]}`, operation(security)])),
  };
  const source = toSource(document, "doors.json", {});
  const sent = source.api?.operations.map(({ access }) => access.length);
  return { sent, notes: sourceNotes(source, "src/api.ts") };
}

const none = "no auth    doors.json declares no credentials; if the API needs a token, add it in src/api.ts";
const cannot = (scheme: string, operations: string): string =>
  `no auth    ${scheme} cannot be sent; add it in src/api.ts for ${operations}`;

describe("security schemes that cannot be sent", () => {
  test.each<[string, Security[], number[], string[]]>([
    ["the only one", [[{ d: [] }]], [0], [cannot("d (http digest)", "GET /o")]],
    ["beside a key", [[{ m: [], k: [] }]], [1], [cannot("m (mutualTLS)", "GET /o")]],
    ["in place of a key", [[{ m: [] }, { k: [] }]], [1], []],
    [
      "in part",
      [[{ d: [] }, { k: [], h: [] }]],
      [1],
      ["d (http digest)", "h (http hoba)"].map((one) => cannot(one, "GET /o")),
    ],
    ["in place of no credentials", [[{}, { d: [] }]], [0], [cannot("d (http digest)", "GET /o")]],
    ["not declared", [[{ x: [] }]], [0], [cannot("x (not declared)", "GET /o")]],
    [
      "of some operations",
      [[{ k: [] }], [{ d: [] }], [{ k: [], h: [] }], [{ d: [] }]],
      [1, 0, 1, 0],
      [cannot("d (http digest)", "GET /p and GET /r"), cannot("h (http hoba)", "GET /q")],
    ],
    [
      "of many operations",
      Array.from({ length: 6 }, () => [{ d: [] }]),
      [0, 0, 0, 0, 0, 0],
      [cannot("d (http digest)", "GET /o, GET /p, GET /q and 3 others")],
    ],
  ])("a scheme that cannot be sent is named with its operations: %s", (_what, securities, sent, notes) => {
    expect(read(securities)).toEqual({ sent, notes });
  });

  test("schemes of a document without requirements apply to every operation", () => {
    const securities = [undefined, undefined];
    expect(read(securities, ["d"])).toEqual({ sent: [0, 0], notes: [cannot("d (http digest)", "GET /o and GET /p")] });
    expect(read(securities, ["d", "k"])).toEqual({ sent: [1, 1], notes: [] });
    expect(read(securities, [])).toEqual({ sent: [0, 0], notes: [none] });
  });
});
