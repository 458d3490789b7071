import { isObject, type Revision } from "../../generated/support.ts";
import { toError } from "../jsonrpc/errors.ts";
import { readKnownMember } from "../protocol/revision/known-members.ts";
import type { JsonSchemaValidator, ObjectSchema, SchemaIssue } from "../protocol/methods/schema-issue.ts";
import { ToolOutputError } from "./errors.ts";

/**
 * Checks the structured content of a result against the tool's output schema. Error results of a tool are not checked.
 *
 * @throws {ToolOutputError} when the content does not fit the schema
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema
 */
export function checkToolOutput(
  tool: object,
  result: unknown,
  { revision, validator }: { readonly revision: Revision; readonly validator: JsonSchemaValidator },
): void {
  const schema = readKnownMember(tool, "Tool.outputSchema", revision);
  if (!isSchema(schema) || !isObject(result) || result.isError === true) return;
  const issues = Object.hasOwn(result, "structuredContent")
    ? validate(result.structuredContent, schema, validator)
    : [{ message: "the result has no structuredContent" }];
  if (issues.length > 0) throw new ToolOutputError(String(Reflect.get(tool, "name")), { issues, result });
}

/**
 * True if a tool declares itself repeatable: calling it twice is as good as once. The declaration may be false.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
 */
export function isRepeatable(tool: object | undefined, revision: Revision): boolean {
  const annotations = readKnownMember(tool, "Tool.annotations", revision);
  return isObject(annotations) && (annotations.readOnlyHint === true || annotations.idempotentHint === true);
}

/** Returns the issues of the content. An unusable schema is an issue: without it the content is not validated. */
function validate(content: unknown, schema: ObjectSchema, validator: JsonSchemaValidator): readonly SchemaIssue[] {
  try {
    return validator(content, schema);
  } catch (thrown) {
    return [{ message: `the schema cannot be used: ${toError(thrown).message}` }];
  }
}

function isSchema(value: unknown): value is ObjectSchema {
  return isObject(value);
}
