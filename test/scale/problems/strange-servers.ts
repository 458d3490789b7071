import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

/*
 * Servers that an engine may find at a wrong address. Each ends with its test.
 */

/** Starts a server that accepts connections and never responds. */
export function startSilentServer(): Promise<number> {
  return listen(() => {});
}

/** Starts a server that speaks HTTP. */
export function startHttpServer(): Promise<number> {
  const response = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  return listen((socket) => socket.once("data", () => socket.end(response)));
}

/** Texts that a proxy replaces in responses. */
export interface ProxyOptions {
  readonly port: number;
  readonly pattern: RegExp;
  /** Text of the same length. */
  readonly replacement: string;
}

/** Starts a proxy that replaces a text in responses: a server with another version, for example. */
export function startTextProxy({ port, pattern, replacement }: ProxyOptions): Promise<number> {
  return listen((socket) => {
    const target = connect(port, "127.0.0.1");
    socket.pipe(target);
    target.on("data", (chunk: Buffer) =>
      socket.write(Buffer.from(chunk.toString("latin1").replace(pattern, replacement), "latin1")),
    );
    target.on("error", () => socket.destroy());
    target.on("close", () => socket.destroy());
    socket.on("close", () => target.destroy());
  });
}

/** Proxy that records what clients send. */
export interface Recorder {
  readonly port: number;
  readText(): string;
}

/** Starts a proxy that records what clients send to a server. */
export async function startRecorder(target: number): Promise<Recorder> {
  let text = "";
  const port = await listen((socket) => {
    const server = connect(target, "127.0.0.1");
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    socket.pipe(server).pipe(socket);
    server.on("error", () => socket.destroy());
    socket.on("close", () => server.destroy());
  });
  return { port, readText: () => text };
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

async function listen(accept: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    accept(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => close(server, sockets));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return address.port;
}

async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, "close");
}
