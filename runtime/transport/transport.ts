import type { Channel } from "../rpc/channel.ts";

/** Carries messages between two peers; serves one connection and is not used again. */
export type Transport = Channel;
