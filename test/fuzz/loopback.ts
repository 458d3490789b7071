import { once } from "node:events";
import type { Server } from "node:net";
import { isObject } from "../../generated/support.ts";

/** Listens on a free port of this machine; returns the port. */
export async function listenLoopback(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return isObject(address) ? Number(address.port) : 0;
}
