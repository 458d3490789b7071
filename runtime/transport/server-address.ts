/** Returns the host and the port of a server by its URL; the default port where the URL has none. */
export function toServerAddress({ hostname, port, protocol }: URL): {
  readonly address: string;
  readonly port: number;
} {
  const isSecure = protocol === "https:" || protocol === "wss:";
  return { address: hostname.replace(/^\[|\]$/g, ""), port: Number(port || (isSecure ? 443 : 80)) };
}
