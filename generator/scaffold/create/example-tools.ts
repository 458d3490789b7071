import type { SchemaLibrary } from "./project-choices.ts";

/** Example tool of a new project, written with one schema library. */
export interface SchemaSample {
  /** Packages of the library, in versions tested together. */
  readonly packages: { readonly [name: string]: string };
  /** Imports at the top of the file, one line each. */
  readonly imports: readonly string[];
  /** Further imports from the protocol layer. */
  readonly helpers: readonly string[];
  /** Line before the first tool; may be empty. */
  readonly preparation: string;
  /** Expression of the input schema: one argument, a non-empty string. */
  readonly input: string;
  /** Expression of the output schema: two numbers. */
  readonly output: string;
  /** Expression of the schema of a form: one field, a string. */
  readonly form: string;
}

/** Samples by schema library. */
export const schemaSamples: { readonly [Name in SchemaLibrary]: SchemaSample } = {
  zod: {
    packages: { zod: "^4.6.7" },
    // Bundlers drop unused members of a namespace, but not of the object `z`.
    imports: ['import * as z from "zod";'],
    helpers: [],
    preparation: "",
    input: 'z.object({ text: z.string().min(1).describe("The text to measure") })',
    output: "z.object({ words: z.number(), characters: z.number() })",
    form: "z.object({ name: z.string() })",
  },
  valibot: {
    packages: { "@valibot/to-json-schema": "^1.8.0", valibot: "^1.5.0" },
    imports: ['import { toStandardJsonSchema } from "@valibot/to-json-schema";', 'import * as v from "valibot";'],
    helpers: [],
    preparation: "",
    input: "toStandardJsonSchema(v.object({ text: v.pipe(v.string(), v.minLength(1)) }))",
    output: "toStandardJsonSchema(v.object({ words: v.number(), characters: v.number() }))",
    form: "toStandardJsonSchema(v.object({ name: v.string() }))",
  },
  arktype: {
    packages: { arktype: "^2.2.9" },
    imports: ['import { type } from "arktype";'],
    helpers: [],
    preparation: "",
    input: 'type({ text: "string > 0" })',
    output: 'type({ words: "number", characters: "number" })',
    form: 'type({ name: "string" })',
  },
  json: {
    packages: { "@cfworker/json-schema": "^4.1.6" },
    imports: [],
    helpers: ["createCfworkerValidator", "fromJsonSchema"],
    preparation: "const validate = createCfworkerValidator();",
    input: [
      "fromJsonSchema(",
      '    { type: "object", properties: { text: { type: "string", minLength: 1 } }, required: ["text"] },',
      "    { validate },",
      "  )",
    ].join("\n"),
    output: [
      "fromJsonSchema(",
      "    {",
      '      type: "object",',
      '      properties: { words: { type: "number" }, characters: { type: "number" } },',
      '      required: ["words", "characters"],',
      "    },",
      "    { validate },",
      "  )",
    ].join("\n"),
    form: [
      "{",
      '      type: "object",',
      '      properties: { name: { type: "string" } },',
      '      required: ["name"],',
      "    }",
    ].join("\n"),
  },
};

/** Example tool of every project without a source of tools. */
export const measureText = { name: "measure_text", description: "Counts the words and characters of a text." } as const;

/** Example tool with a request for the user's input. */
export const greet = { name: "greet", description: "Greets the user by the name that they give." } as const;

/** Tools written by the scaffold itself. */
export const exampleTools: readonly { readonly name: string; readonly description: string }[] = [measureText, greet];
