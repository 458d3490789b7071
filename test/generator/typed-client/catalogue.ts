/** Constructs that the catalogues of real servers have, as the schema of one argument each. */
const constructs: readonly (readonly [string, object])[] = [
  ["text", { type: "string", description: "A text" }],
  ["number", { type: "number", minimum: 1, maximum: 100, default: 30 }],
  ["integer", { type: "integer", exclusiveMinimum: 0 }],
  ["flag", { type: "boolean", default: false }],
  ["choice", { type: "string", enum: ["open", "closed", "all"] }],
  ["labels", { type: "array", items: { type: "string" }, minItems: 1, maxItems: 100 }],
  ["nullable", { anyOf: [{ type: "string" }, { type: "null" }], default: null, title: "Nullable" }],
  ["list-of-types", { type: ["integer", "string", "null"] }],
  [
    "files",
    {
      type: "array",
      items: {
        type: "object",
        properties: { path: { type: "string" }, content: { type: "string" } },
        required: ["path", "content"],
        additionalProperties: false,
      },
    },
  ],
  ["map", { type: "object", additionalProperties: { type: "number" } }],
  ["record", { type: "object", propertyNames: { type: "string", enum: ["x", "y"] }, additionalProperties: {} }],
  ["named", { type: "object", propertyNames: { minLength: 2, pattern: "^[a-z]+$" } }],
  ["any", {}],
  ["address", { type: "string", format: "uri", pattern: "^https://", minLength: 9 }],
  [
    "tagged",
    {
      oneOf: [
        { type: "object", properties: { kind: { const: "a" }, a: { type: "string" } }, required: ["kind", "a"] },
        { type: "object", properties: { kind: { const: "b" }, b: { type: "number" } }, required: ["kind", "b"] },
      ],
    },
  ],
  ["tree", { $ref: "#/$defs/node" }],
  ["pair", { prefixItems: [{ type: "string" }, { type: "number" }], items: false, minItems: 2 }],
];

const definitions = {
  node: {
    type: "object",
    properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
    required: ["name"],
  },
};

/** Names as they are found, and as nobody should choose them. */
const names = [
  "get_me",
  "get-me",
  "getMe",
  "constructor",
  "then",
  "__proto__",
  "class",
  "all",
  "callTool",
  "read_resource",
  "3d.render",
  "a/b",
  "a/c/b",
  "ünïcode",
  "日本語",
  'quote"and\\slash',
  "*/ evil(); /*",
  "${evil()}",
  "{{evil}}",
  "toString",
];

/** Result of `tools/list` of a large server: 120 tools with every construct, each optional and required, some with an output schema. */
export function createCatalogue(): { readonly tools: readonly object[] } {
  const made = Array.from({ length: 100 }, (_, index) => {
    const picked = constructs.filter(
      (_construct, at) => (at * 7 + index) % 3 === 0 || at === index % constructs.length,
    );
    const properties = Object.fromEntries(picked);
    return {
      name: `tool_${index}`,
      description: `Tool number ${index}. Ends no comment: */`,
      inputSchema: {
        type: "object",
        properties,
        required: Object.keys(properties).filter((_key, at) => (at + index) % 2 === 0),
        $defs: definitions,
        ...(index % 4 === 0 && { additionalProperties: false }),
      },
      ...(index % 5 === 0 && { outputSchema: { type: "object", properties, $defs: definitions } }),
    };
  });
  const odd = names.map((name) => ({
    name,
    description: name,
    inputSchema: { type: "object", properties: { [name]: {} } },
  }));
  return { tools: [...made, ...odd] };
}
