import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { listenLocally, startProxy, type LocalServer } from "../processes/proxy.ts";

/*
 * Servers that an engine may find at a wrong address. Each ends with its test.
 */

/** Starts a server that accepts connections and never responds. */
export async function startSilentServer(): Promise<number> {
  return untilTestEnds(await listenLocally(() => {}));
}

/** Starts a server that speaks HTTP. */
export async function startHttpServer(): Promise<number> {
  const response = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  return untilTestEnds(await listenLocally((socket) => void socket.once("data", () => socket.end(response))));
}

/** Text that a proxy replaces in responses. */
export interface TextProxyOptions {
  readonly port: number;
  readonly pattern: RegExp;
  /** Text of the same length. */
  readonly replacement: string;
}

/** Starts a proxy that replaces a text in responses: a server with another version, for example. */
export async function startTextProxy({ port, pattern, replacement }: TextProxyOptions): Promise<number> {
  const toClient = (chunk: Buffer): Buffer =>
    Buffer.from(chunk.toString("latin1").replace(pattern, replacement), "latin1");
  return untilTestEnds(await startProxy({ port, toClient }));
}

/** Proxy that records what clients send. */
export interface Recorder {
  readonly port: number;
  readText(): string;
}

/** Starts a proxy that records what clients send to a server. */
export async function startRecorder(port: number): Promise<Recorder> {
  let text = "";
  const proxy = await startProxy({
    port,
    toServer(chunk) {
      text += chunk.toString("latin1");
      return chunk;
    },
  });
  return { port: untilTestEnds(proxy), readText: () => text };
}

/** Files of a certificate that no authority has signed. */
export interface CertificateFiles {
  readonly key: string;
  readonly certificate: string;
}

/** Creates a certificate for `localhost` and 127.0.0.1. */
export async function createCertificate(): Promise<CertificateFiles> {
  const folder = await mkdtemp(join(tmpdir(), "scale-tls-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const files = { key: join(folder, "key.pem"), certificate: join(folder, "certificate.pem") };
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  const key = ["-newkey", "rsa:2048", "-nodes", "-keyout", files.key];
  const subject = ["-subj", "/CN=localhost", "-addext", names, "-days", "1"];
  await promisify(execFile)("openssl", ["req", "-x509", ...key, ...subject, "-out", files.certificate]);
  return files;
}

function untilTestEnds({ port, close }: LocalServer): number {
  onTestFinished(close);
  return port;
}
