import { escapeKey, fail, isObject, under, type Issue, type RequestRow } from "../../../generated/support.ts";
import { shorten } from "../../internal/shorten.ts";
import { SetupError, toError } from "../../jsonrpc/errors.ts";
import type { SchemaIssue } from "../../protocol/methods/schema-issue.ts";
import type { Session } from "../../protocol/session/session.ts";
import { toJsonSchema, type Schema } from "../schema.ts";
import { checkSchema } from "../tools/check-schema.ts";
import { fitForm, toRequestedSchema, type RequestedSchema } from "./form-schema.ts";

/** Form of one elicitation: the schema to send, and the check of the response. */
export interface Form {
  readonly requestedSchema: RequestedSchema;
  /** Checks the content of an accepted form, and keeps the value returned by the schema. */
  check(response: unknown): Promise<Issue | undefined>;
  /** Returns a checked response, with the value of the schema as its content. */
  toResponse(response: unknown): object;
}

/**
 * Creates the form of a schema: one of a library with Standard JSON Schema, or plain JSON Schema.
 *
 * @throws {SetupError} when the value is not a schema, or when a form cannot request what it describes
 */
export function createForm(schema: unknown, row: RequestRow, session: Session): Form {
  const form = toRequestedSchema(readJsonSchema(schema));
  let content: unknown;
  return {
    requestedSchema: session.converter ? form : fitForm(form, row),
    async check(response) {
      if (!isAccepted(response)) return undefined;
      const given = isObject(response.content) ? response.content : {};
      if (isStandard(schema)) {
        const outcome = await schema["~standard"].validate(given);
        if (outcome.issues) return toIssue(outcome.issues);
        content = outcome.value;
      } else {
        // Plain JSON Schema is the requested schema, which every response is checked against. Values that were not requested are dropped.
        content = Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(form.properties, name)));
      }
      return undefined;
    },
    toResponse(response) {
      if (isAccepted(response)) return { action: response.action, content };
      return { action: isObject(response) ? response.action : undefined };
    },
  };
}

function readJsonSchema(schema: unknown): Readonly<Record<string, unknown>> {
  if (isObject(schema) && schema.type === "object" && !isStandard(schema)) return schema;
  try {
    if (isStandard(schema)) return toJsonSchema(schema, "input", {});
    checkSchema(schema, "input");
  } catch (error) {
    throw new SetupError(`A form cannot use the schema: ${toError(error).message}`, { cause: error });
  }
  throw new SetupError("A form needs a schema; use zod 4, valibot, arktype or JSON Schema with the type object");
}

function isStandard(schema: unknown): schema is Schema<unknown> {
  return ((typeof schema === "object" && schema !== null) || typeof schema === "function") && "~standard" in schema;
}

function isAccepted(response: unknown): response is { readonly action: "accept"; readonly content?: unknown } {
  return isObject(response) && response.action === "accept";
}

function toIssue([first]: readonly SchemaIssue[]): Issue {
  const issue = fail(`a value that the schema accepts: ${shorten(first?.message ?? "invalid")}`);
  const path = (first?.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment));
  return ["content", ...path].reduceRight((inner, key) => under(escapeKey(key), inner), issue);
}
