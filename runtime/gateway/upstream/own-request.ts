import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";

/** Milliseconds for the gateway's own requests, which belong to no client. */
export const ownTimeout = 30_000;

/** Options of the gateway's own requests. Progress does not extend them. */
export const ownRequest: RequestOptions = { timeout: ownTimeout, totalTimeout: ownTimeout };
