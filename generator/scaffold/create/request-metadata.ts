/** Client named in the requests of this program. */
export const clientInfo = { name: "create-mcp-server", version: "1" } as const;

/** Returns the metadata (`_meta`) of a stateless request: revision, client capabilities and client name. */
export function requestMetadata(revision: string): object {
  const prefix = "io.modelcontextprotocol";
  return {
    [`${prefix}/protocolVersion`]: revision,
    [`${prefix}/clientCapabilities`]: {},
    [`${prefix}/clientInfo`]: clientInfo,
  };
}
