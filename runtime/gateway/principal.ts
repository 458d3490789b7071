import type { Capabilities, ImplementationInfo } from "../protocol/session/session.ts";

/** Client represented by the gateway at the server. */
export interface Principal {
  readonly info: ImplementationInfo;
  readonly capabilities: Capabilities;
}

/** Principal of connections without a client. They read what the server is, with its extensions, and receive its changes. */
export const gatewayPrincipal: Principal = {
  info: { name: "gateway", version: "1.0.0" },
  capabilities: { extensions: {} },
};
