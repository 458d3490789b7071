import type { CapabilityError } from "../../jsonrpc/errors.ts";

/** Returns the result of a tool that needs a capability which its client has not declared. The model can read it. */
export function toMissingCapabilityResult({ gate }: CapabilityError): object {
  const text = `The tool requires the client capability ${gate.path.join(".")}`;
  return { content: [{ type: "text", text }], isError: true };
}
