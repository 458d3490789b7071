import { Socket } from "node:net";
import { expect, test } from "vitest";
import { readCertificate } from "../../../../../runtime/transport/http-server/exchange/node-head.ts";

const shown = { subject: "CN=agent", issuer: "CN=ca", fingerprint256: "00:FF:1A" };
const certificate = { subject: "CN=agent", issuer: "CN=ca", thumbprint: "AP8a" };

test.each([
  ["a trusted client", { encrypted: true, authorized: true, shown }, certificate],
  ["a client without a certificate", { encrypted: true, authorized: true, shown: undefined }, undefined],
  ["a client whose certificate is not trusted", { encrypted: true, authorized: false, shown }, undefined],
  ["a client of a socket that only looks secure", { encrypted: false, authorized: true, shown }, undefined],
  ["a client without TLS", { authorized: true, shown }, undefined],
])("the certificate of %s is read only if TLS has verified it", (_who, { shown: presented, ...tls }, expected) => {
  const socket = Object.assign(new Socket(), tls, { getPeerX509Certificate: () => presented });
  expect(readCertificate(socket)).toEqual(expected);
});
