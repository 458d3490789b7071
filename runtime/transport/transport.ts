import type { Channel } from "../jsonrpc/channel.ts";

/** Channel for messages between two peers; serves one connection and is not reused. */
export type Transport = Channel;
