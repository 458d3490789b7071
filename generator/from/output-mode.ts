/**
 * Treatment of API responses by tools. `none`: they have no output schema, and the JSON is text. `loose`: the advertised schema accepts every answer,
 * and one that deviates from the document is logged. `strict`: an answer that deviates is an error of the tool.
 */
export const outputModes = ["none", "loose", "strict"] as const;

/** One of them. */
export type OutputMode = (typeof outputModes)[number];
