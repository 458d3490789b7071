// Schemas of the tools of W14. Every tool has members of its own, so that no two share their types.
export const inputSchema = (n) =>
  `z.object({ text: z.string(), count: z.number().int().min(0), mode${n}: z.enum(["a", "b"]).optional() })`;
export const outputSchema = (n) => `z.object({ total: z.number(), label${n}: z.string() })`;
export const total = (n) => `({ total: text.length + count, label${n}: text })`;
