import type { Channel } from "../jsonrpc/channel.ts";

/** Channel that carries messages between two peers; serves one connection and is not reused. */
export type Transport = Channel;
