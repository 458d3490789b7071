/** Tells a person what went wrong; the stack only for a bug of ours. Returns the exit code. */
export function reportProblem(error: unknown): number {
  if (!(error instanceof Error)) {
    console.error(`create-mcp-server: ${String(error)}`);
    return 1;
  }
  const isExpected = error.name === "SpecError" || error.name === "UserError" || "code" in error;
  console.error(isExpected ? `create-mcp-server: ${error.message}` : error.stack);
  return 1;
}
