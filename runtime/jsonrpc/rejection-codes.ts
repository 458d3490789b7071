/**
 * Codes of refusals for which no revision has one. They lie outside the range that JSON-RPC and the protocol keep for
 * themselves, and mean what they mean in HTTP.
 */
export const refusalCodes: { readonly forbidden: 403; readonly tooMany: 429 } = { forbidden: 403, tooMany: 429 };
