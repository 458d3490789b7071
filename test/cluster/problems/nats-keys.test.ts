import { createEngine, MemoryLink, MemoryNats } from "../memory-nats.ts";
import { describeKeyRotation } from "./key-rotation.suite.ts";

/** Servers in memory, by the names of their applications. */
const servers = new Map<string, MemoryNats>();

describeKeyRotation("NATS in memory", ({ keys, prefix }) => {
  const server = servers.get(prefix) ?? new MemoryNats();
  servers.set(prefix, server);
  return createEngine(new MemoryLink(server), {}, keys);
});
