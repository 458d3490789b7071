import { isObject } from "../../generated/support.ts";
import { rejectOversize } from "../../generator/typed-client/tool-schema/bounds.ts";
import { findTarget } from "../../generator/typed-client/tool-schema/read-reference.ts";
import { readSchema } from "../../generator/typed-client/tool-schema/read-schema.ts";
import { SchemaRejection } from "../../generator/typed-client/tool-schema/safe-schema.ts";
import type { Rule } from "./finding.ts";
import type { Lists, Observation } from "./probes/probe.ts";
import { quote, textOf } from "./server-text.ts";

/** A tool as a server lists it. */
export type ListedTool = Lists["tools"][number];

/** A rule about tools required by no revision, but by some hosts. */
export interface LintRule {
  readonly rule: Rule;
  readonly check: (tool: ListedTool) => readonly Omit<Observation, "subject">[];
}

/** Rules about tools that known hosts cannot handle. One such tool makes some hosts drop all others without a message. */
export const lintRules: readonly LintRule[] = [
  {
    rule: {
      id: "tool-name",
      title: "Tool names consist of at most 64 letters, digits, _ and - characters",
      severity: "warning",
      help: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names",
    },
    check: ({ name }) => {
      const text = textOf(name);
      if (/^[\w-]{1,64}$/.test(text)) return [];
      return [
        {
          message: `the model APIs of most hosts reject the name ${quote(text)}`,
          fix: adviseName(text.replaceAll(/[^\w-]+/g, "_")),
        },
      ];
    },
  },
  {
    rule: {
      id: "tool-description",
      title: "Tools have a description of at most 1,024 characters",
      severity: "warning",
      help: "https://github.com/anthropics/claude-code/issues",
    },
    check: ({ description }) => {
      if (typeof description !== "string" || description.trim() === "")
        return [
          {
            message: "it has no description, so models cannot determine its purpose",
            fix: "describe its effect and when to use it in one sentence",
          },
        ];
      if (description.length <= 1_024) return [];
      return [
        {
          message: `its description has ${description.length} characters; some hosts truncate or reject more than 1,024`,
          fix: "shorten it; move details to the descriptions of its arguments",
        },
      ];
    },
  },
  {
    rule: {
      id: "schema-root",
      title: "Argument schemas are objects at their root",
      severity: "error",
      help: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool",
    },
    check: ({ inputSchema }) =>
      isObject(inputSchema) && inputSchema.type === "object"
        ? []
        : [{ message: 'inputSchema has no "type": "object" at its root', fix: 'add "type": "object"' }],
  },
  {
    rule: {
      id: "schema-root-composition",
      title: "Schemas have no anyOf, oneOf or allOf at their root",
      severity: "warning",
      help: "https://github.com/anthropics/claude-code/issues/95504",
    },
    check: ({ inputSchema }) => {
      const found = isObject(inputSchema)
        ? ["anyOf", "oneOf", "allOf"].filter((key) => Object.hasOwn(inputSchema, key))
        : [];
      return found.map((key) => ({
        message: `inputSchema has ${key} at its root; some hosts drop the tool, or all of them`,
        fix: `declare one object with optional properties, or move ${key} into a property`,
      }));
    },
  },
  {
    rule: {
      id: "schema-dialect",
      title: "Schemas use dialect 2020-12",
      severity: "warning",
      help: "https://github.com/anthropics/claude-code/issues/90549",
    },
    check: (tool) =>
      schemasOf(tool).flatMap(([where, { $schema }]) => {
        if ($schema === undefined || (typeof $schema === "string" && $schema.includes("2020-12"))) return [];
        return [
          {
            message: `${where} declares the dialect ${quote($schema)}; some hosts reject all but 2020-12`,
            fix: "remove $schema, or generate for draft 2020-12",
          },
        ];
      }),
  },
  {
    rule: {
      id: "schema-reference",
      title: "Schemas have no references",
      severity: "warning",
      help: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool",
    },
    check: (tool) =>
      schemasOf(tool).flatMap(([where, schema]): Omit<Observation, "subject">[] => {
        const references = findReferences(schema);
        const [foreign] = [...references].find(([target, places]) => !leadsInside(target, places, schema)) ?? [];
        if (foreign !== undefined)
          return [
            {
              message: `${where} refers to ${quote(foreign)}, which must not be fetched`,
              fix: "inline the schema",
              severity: "error",
            },
          ];
        return references.size === 0
          ? []
          : [
              {
                message: `${where} has $ref (${[...references.keys()].slice(0, 3).join(", ")}); some hosts do not resolve it`,
                fix: "inline the referenced schemas unless they are recursive",
                severity: "note",
              },
            ];
      }),
  },
  {
    rule: {
      id: "schema-sound",
      title: "Schemas are valid and readable",
      severity: "error",
      help: "https://json-schema.org/draft/2020-12/json-schema-validation",
    },
    check: (tool) => schemasOf(tool).flatMap(([where, schema]) => readProblems(where, schema)),
  },
  {
    rule: {
      id: "argument-name",
      title: "Argument names consist of at most 64 letters, digits, _, . and - characters",
      severity: "warning",
      help: "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/overview",
    },
    check: ({ inputSchema }) => {
      const properties =
        isObject(inputSchema) && isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
      return properties
        .filter((name) => !/^[\w.-]{1,64}$/.test(name))
        .map((name) => ({
          message: `the model APIs of some hosts reject the argument ${quote(name)}`,
          fix: adviseName(name.replaceAll(/[^\w.-]+/g, "_")),
        }));
    },
  },
  {
    rule: {
      id: "array-items",
      title: "Array arguments declare their items",
      severity: "warning",
      help: "https://platform.openai.com/docs/guides/function-calling",
    },
    check: ({ inputSchema }) =>
      findBareLists(inputSchema).map((path) => ({
        message: `the list at ${path} has no items; some hosts reject such schemas`,
        fix: 'declare its items, for example "items": { "type": "string" }',
      })),
  },
  {
    rule: {
      id: "untyped-argument",
      title: "Arguments declare what they are",
      severity: "note",
      help: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool",
    },
    check: ({ inputSchema }) =>
      findUntyped(inputSchema).map((name) => ({
        message: `the argument ${quote(name)} has no type; models guess what it is, and some model APIs reject it`,
        fix: 'declare its type, for example "type": "string"',
      })),
  },
  {
    rule: {
      id: "mirrored-secret",
      title: "Secrets are not copied to headers",
      severity: "warning",
      help: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header",
    },
    check: ({ inputSchema }) =>
      findParamHeaderSecrets(inputSchema).map((path) => ({
        message: `the argument at ${path} looks like a secret, and x-mcp-header copies it to a header that proxies and logs can read`,
        fix: "remove x-mcp-header from it",
      })),
  },
];

function schemasOf(tool: ListedTool): readonly (readonly [string, Record<string, unknown>])[] {
  return (["inputSchema", "outputSchema"] as const).flatMap((key) => {
    const schema = tool[key];
    return isObject(schema) ? [[key, schema] as const] : [];
  });
}

function readProblems(where: string, schema: unknown): Omit<Observation, "subject">[] {
  try {
    return readSchema(schema)
      .losses.filter(({ kind, path }) => kind === "corrected" || path.endsWith("/$ref"))
      .map(({ path, message }) => ({
        message: `${where}${path}: ${message}`,
        fix: "correct the schema at this place",
      }));
  } catch (error) {
    if (!(error instanceof SchemaRejection)) throw error;
    return [{ message: `${where}: ${error.message}`, fix: "reduce its size and nesting" }];
  }
}

/** Returns the places of all references by their targets. */
function findReferences(schema: unknown): ReadonlyMap<string, readonly string[]> {
  const references = new Map<string, string[]>();
  for (const [path, one] of walk(schema)) {
    if (!isObject(one) || typeof one.$ref !== "string") continue;
    const places = references.get(one.$ref) ?? [];
    references.set(one.$ref, places);
    places.push(path === "/" ? "" : path);
  }
  return references;
}

/** True if an address belongs to a schema within this one, whichever of its schemas contains the reference. */
function leadsInside(target: string, places: readonly string[], schema: unknown): boolean {
  return target.startsWith("#") || places.some((place) => findTarget(target, place, schema));
}

function findBareLists(schema: unknown): string[] {
  return walk(schema).flatMap(([path, one]) => {
    const isList = isObject(one) && one.type === "array" && one.items === undefined && one.prefixItems === undefined;
    return isList ? [path] : [];
  });
}

/** Returns the names of arguments whose schema accepts any value. */
function findUntyped(schema: unknown): readonly string[] {
  const properties = isObject(schema) && isObject(schema.properties) ? Object.entries(schema.properties) : [];
  return properties.flatMap(([name, one]) => {
    const isOpen = one === true || (isObject(one) && Object.keys(one).every((keyword) => annotations.has(keyword)));
    return isOpen ? [name] : [];
  });
}

/** Keywords without an effect on values. */
const annotations: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "x-mcp-header",
]);

function findParamHeaderSecrets(schema: unknown): string[] {
  return walk(schema).flatMap(([path, one]) => {
    if (!isObject(one) || one["x-mcp-header"] === undefined) return [];
    const isMeant = one.format === "password" || one.writeOnly === true;
    const name = path.split("/").at(-1) ?? "";
    return isMeant || secretName.test(name) ? [path] : [];
  });
}

/** Names of secrets, at the end of a name: `api_key`, `accessToken`, but not `tokenCount`. */
const secretName = /(?:pass(?:word|phrase|wd)?|secret|token|api[-_]?key|private[-_]?key|credentials?)$/i;

/** Returns every object and array in a schema with its path; none if the schema is too deep or too large, which `schema-sound` reports. */
function walk(schema: unknown): readonly (readonly [string, object])[] {
  try {
    rejectOversize(schema);
  } catch (error) {
    if (error instanceof SchemaRejection) return [];
    throw error;
  }
  const found: [string, object][] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    found.push([path || "/", value]);
    for (const [key, one] of Object.entries(value)) visit(one, `${path}/${key}`);
  };
  visit(schema, "");
  return found;
}

/** Returns the advice for a rejected name, with the permitted part of it. */
function adviseName(permitted: string): string {
  return permitted === "" ? "give it a name" : `rename it to ${JSON.stringify(permitted.slice(0, 64))}`;
}
