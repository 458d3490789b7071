import type { Feature } from "../feature.ts";
import { checkMethods, implementMethods } from "./method-handlers.ts";

/** Handlers of methods by name. Must follow the other features: a method has one handler. */
export const methods: Feature = {
  name: "methods",
  check: checkMethods,
  create: ({ revisions: [written] }, source) => ({
    implement({ revision, inputRunner, toContext, isOffered, earlier }) {
      const others = earlier.flatMap(({ handlers }) => Object.keys(handlers));
      const taken = new Set([...others, ...(isOffered("tools") ? ["listTools", "callTool"] : [])]);
      return { handlers: implementMethods(source, { revision, written, taken, inputRunner, toContext }) };
    },
  }),
};
