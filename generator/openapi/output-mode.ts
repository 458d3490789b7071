/**
 * Treatment of API responses by tools. `none`: tools have no output schema, and the JSON is text. `loose`: the advertised schema accepts every
 * response, and one that deviates from the document is logged. `strict`: a response that deviates is an error of the tool.
 */
export const outputModes = ["none", "loose", "strict"] as const;

/** Name of a treatment of API responses. */
export type OutputMode = (typeof outputModes)[number];
