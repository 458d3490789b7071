import type { Channel } from "../jsonrpc/channel.ts";

/** Carries messages between two peers; serves one connection and is not used again. */
export type Transport = Channel;
