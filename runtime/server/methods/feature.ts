import type { Feature } from "../feature.ts";
import { checkMethods, implementMethods } from "./method-handlers.ts";

/** Handlers of methods by name. A method has one handler. */
export const methods: Feature = {
  name: "methods",
  follows: "others",
  check: checkMethods,
  create: ({ lists }, source) => ({
    implement(server, { features }) {
      const others = features.flatMap(({ handlers }) => Object.keys(handlers));
      const taken = new Set([...others, ...(lists.isOffered("tools") ? ["listTools", "callTool"] : [])]);
      return { handlers: implementMethods(source, server, taken) };
    },
  }),
};
