import type { SchemaLibrary } from "./project-choices.ts";

/** How the example of a new project describes its tool with a schema library. */
export interface SchemaSample {
  /** Packages with the versions that were tested together. */
  readonly packages: { readonly [name: string]: string };
  /** Lines at the top of the file. */
  readonly imports: readonly string[];
  /** What else the file imports from the protocol layer. */
  readonly helpers: readonly string[];
  /** A line before the first tool. */
  readonly preparation: string;
  /** A text that is not empty, as the only argument. */
  readonly input: string;
  /** Two numbers. */
  readonly output: string;
}

/** The samples by library. */
export const schemaSamples: { readonly [Name in SchemaLibrary]: SchemaSample } = {
  zod: {
    packages: { zod: "^4.6.7" },
    // A bundler leaves out what is not used of a namespace; of the object `z` it cannot.
    imports: ['import * as z from "zod";'],
    helpers: [],
    preparation: "",
    input: 'z.object({ text: z.string().min(1).describe("The text to measure") })',
    output: "z.object({ words: z.number(), characters: z.number() })",
  },
  valibot: {
    packages: { "@valibot/to-json-schema": "^1.8.0", valibot: "^1.5.0" },
    imports: ['import { toStandardJsonSchema } from "@valibot/to-json-schema";', 'import * as v from "valibot";'],
    helpers: [],
    preparation: "",
    input: "toStandardJsonSchema(v.object({ text: v.pipe(v.string(), v.minLength(1)) }))",
    output: "toStandardJsonSchema(v.object({ words: v.number(), characters: v.number() }))",
  },
  arktype: {
    packages: { arktype: "^2.2.9" },
    imports: ['import { type } from "arktype";'],
    helpers: [],
    preparation: "",
    input: 'type({ text: "string > 0" })',
    output: 'type({ words: "number", characters: "number" })',
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
  },
};
