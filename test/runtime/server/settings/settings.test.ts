import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { createCfworkerValidator } from "../../../../runtime/adapters/cfworker.ts";
import { fromJsonSchema } from "../../../../runtime/server/json-schema.ts";
import { defineSettings } from "../../../../runtime/server/settings/index.ts";

const notes = z.object({
  NOTES_FOLDER: z.string().describe("Folder of the notes"),
  NOTES_LIMIT: z.int().min(1).default(20).describe("Maximum number of results."),
  NOTES_MODE: z.enum(["read", "write"]).default("read"),
  NOTES_TAGS: z.array(z.string()).default([]),
  NOTES_CACHE: z.boolean().optional(),
  NOTES_KEY: z.string().meta({ writeOnly: true, description: "Key of the notes" }).optional(),
});

describe("settings", () => {
  it("settings are read from the environment, converted to their types, and completed with defaults", () => {
    const env = {
      NOTES_FOLDER: "/notes",
      NOTES_LIMIT: "5",
      NOTES_TAGS: "a, b,,c",
      NOTES_CACHE: "TRUE",
      NOTES_KEY: "k",
    };
    const settings = defineSettings(notes, { env });
    expectTypeOf(settings.NOTES_LIMIT).toEqualTypeOf<number>();
    expectTypeOf(settings.NOTES_MODE).toEqualTypeOf<"read" | "write">();
    expect(settings.NOTES_FOLDER).toBe("/notes");
    expect(settings.NOTES_LIMIT).toBe(5);
    expect(settings.NOTES_MODE).toBe("read");
    expect(settings.NOTES_TAGS).toEqual(["a", "b", "c"]);
    expect(settings.NOTES_CACHE).toBe(true);
    expect(settings.NOTES_KEY).toBe("k");
  });

  it("an empty variable counts as missing", () => {
    const settings = defineSettings(notes, { env: { NOTES_FOLDER: "x", NOTES_LIMIT: "", NOTES_KEY: "" } });
    expect(settings.NOTES_LIMIT).toBe(20);
    expect(settings.NOTES_KEY).toBeUndefined();
  });

  it.each(["${KEY}", "${user_config.key}", "${env:KEY}", "${input:key}", "Bearer ${API_TOKEN}"])(
    "a placeholder that a host did not fill in counts as missing: %s",
    (text) => {
      const settings = defineSettings(notes, { env: { NOTES_FOLDER: "x", NOTES_LIMIT: text, NOTES_KEY: text } });
      expect(settings.NOTES_LIMIT).toBe(20);
      expect(settings.NOTES_KEY).toBeUndefined();
      expect(() => defineSettings(notes, { env: { NOTES_FOLDER: text } }).NOTES_FOLDER).toThrow(
        "The setting NOTES_FOLDER is missing: the host did not fill in its placeholder; enter a value in the settings of the host",
      );
    },
  );

  it.each(["${KEY}/notes", "a ${KEY}", "$KEY", "{KEY}", "${}"])(
    "a value with other text stays as it is: %s",
    (text) => {
      expect(defineSettings(notes, { env: { NOTES_FOLDER: text } }).NOTES_FOLDER).toBe(text);
    },
  );

  it("settings are read at the first access, and only once", () => {
    const env: Record<string, string> = {};
    const settings = defineSettings(notes, { env });
    env.NOTES_FOLDER = "first";
    expect(settings.NOTES_FOLDER).toBe("first");
    env.NOTES_FOLDER = "second";
    expect(settings.NOTES_FOLDER).toBe("first");
  });

  it("copies of settings omit secrets", () => {
    const settings = defineSettings(notes, { env: { NOTES_FOLDER: "/notes", NOTES_KEY: "secret-value" } });
    expect({ ...settings }).not.toHaveProperty("NOTES_KEY");
    expect(JSON.stringify(settings)).toBe(
      '{"NOTES_FOLDER":"/notes","NOTES_LIMIT":20,"NOTES_MODE":"read","NOTES_TAGS":[]}',
    );
  });

  it("the description of settings names types, defaults, choices and secrets", () => {
    expect(defineSettings(notes, { env: {} })["~settings"].variables).toEqual([
      { name: "NOTES_FOLDER", type: "string", isRequired: true, isSecret: false, description: "Folder of the notes" },
      {
        name: "NOTES_LIMIT",
        type: "integer",
        isRequired: false,
        isSecret: false,
        description: "Maximum number of results.",
        default: "20",
      },
      {
        name: "NOTES_MODE",
        type: "string",
        isRequired: false,
        isSecret: false,
        default: "read",
        choices: ["read", "write"],
      },
      { name: "NOTES_TAGS", type: "array", isRequired: false, isSecret: false, default: "" },
      { name: "NOTES_CACHE", type: "boolean", isRequired: false, isSecret: false },
      { name: "NOTES_KEY", type: "string", isRequired: false, isSecret: true, description: "Key of the notes" },
    ]);
  });

  it("plain JSON Schema has the same effect", () => {
    const properties = { LIMIT: { type: "number" }, NAMES: { type: "array", items: { type: "string" } } } as const;
    const schema = { type: "object", properties, required: ["NAMES"] } as const;
    const settings = defineSettings(fromJsonSchema(schema, { validate: createCfworkerValidator() }), {
      env: { LIMIT: "7.5", NAMES: "a,b" },
    });
    expectTypeOf(settings.LIMIT).toEqualTypeOf<number | undefined>();
    expect({ ...settings }).toEqual({ LIMIT: 7.5, NAMES: ["a", "b"] });
  });
});

describe("invalid settings", () => {
  const env = { NOTES_FOLDER: "x" };

  it.each([
    [{}, "The setting NOTES_FOLDER is missing; set the environment variable, see --help"],
    [{ ...env, NOTES_LIMIT: "many" }, "The setting NOTES_LIMIT is invalid"],
    [{ ...env, NOTES_LIMIT: "0" }, "The setting NOTES_LIMIT is invalid"],
    [{ ...env, NOTES_LIMIT: " " }, "The setting NOTES_LIMIT is invalid"],
    [{ ...env, NOTES_LIMIT: "1e999" }, "The setting NOTES_LIMIT is invalid"],
    [{ ...env, NOTES_MODE: "delete" }, "The setting NOTES_MODE is invalid"],
    [{ ...env, NOTES_CACHE: "maybe" }, "The setting NOTES_CACHE is invalid"],
  ])("the environment %j is rejected: %s", (variables, message) => {
    const settings = defineSettings(notes, { env: variables });
    expect(() => settings["~settings"].check()).toThrow(message);
    expect(() => settings.NOTES_FOLDER).toThrow(message);
  });

  it("all missing variables are named at once", () => {
    const settings = defineSettings(z.object({ A_URL: z.url(), B_KEY: z.string() }), { env: {} });
    expect(() => settings.A_URL).toThrow("The settings A_URL, B_KEY are missing; set the environment variables");
  });

  it("an error about a secret does not quote its value", () => {
    const check = (value: string, context: z.RefinementCtx): void => void context.addIssue(`not ${value}`);
    const schema = z.object({ KEY: z.string().superRefine(check).meta({ writeOnly: true }) });
    const settings = defineSettings(schema, { env: { KEY: "a-long-secret" } });
    expect(() => settings["~settings"].check()).toThrow(
      /^The setting KEY is invalid; correct the environment variable$/,
    );
  });

  it.each([
    [{ "notes-folder": z.string() }, 'The setting "notes-folder" is not a variable name'],
    [{ ["__proto__"]: z.string() }, "is not a variable name"],
    [{ PORT: z.string() }, "The setting PORT is read by the transports; rename it"],
    [{ NESTED: z.object({ a: z.string() }) }, "The setting NESTED has no simple type"],
    [{ NESTED: z.array(z.array(z.string())) }, "The setting NESTED has no simple type"],
    [{ EITHER: z.union([z.string(), z.number()]) }, "The setting EITHER has no simple type"],
  ])("a property that no variable can hold is rejected", (shape, message) => {
    expect(() => defineSettings(z.object(shape), { env: {} })).toThrow(message);
  });

  it("asynchronous checks are rejected", () => {
    const settings = defineSettings(z.object({ A: z.string().refine(async () => true) }), { env: { A: "a" } });
    expect(() => settings.A).toThrow("asynchronous");
  });

  it("a value that is not a schema is rejected with the remedy", () => {
    const check = (schema: unknown): unknown => Reflect.apply(defineSettings, undefined, [schema]);
    expect(() => check({ A: z.string() })).toThrow("settings: its input is an object of schemas; wrap it in z.object");
    expect(() => check(z.string())).toThrow("settings: its input schema has the root type");
  });
});
