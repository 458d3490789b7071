import type { Declarations } from "../../generated/2025-11-25/index.ts";
import type { ClientOptions } from "../../runtime/client/options.ts";

/** Features of a client under test: every request of the server gets a response. */
export const fuzzedFeatures = {
  roots: [{ uri: "file:///home", name: "Home" }],
  sampling: { createMessage: () => ({ role: "assistant", model: "m", content: { type: "text", text: "hi" } }) },
  elicitation: {
    form: (_params, { check }) => ({ action: check({}).length > 0 ? "decline" : "accept" }),
    url: () => ({ action: "decline" }),
    completed() {},
  },
  onLog() {},
} satisfies Partial<ClientOptions<Declarations>>;
