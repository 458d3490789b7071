import { BlockList, isIP } from "node:net";

/** Kind of network an address belongs to. */
export type Network = "public" | "private" | "loopback" | "link-local" | "reserved";

/** Returns the network of an address. Of host names, only `localhost` and its subdomains are known; the result for others is `undefined`. */
export function findNetwork(host: string): Network | undefined {
  const address = host.replace(/^\[|\]$/g, "");
  const kind = isIP(address);
  if (kind === 0) return /(^|\.)localhost\.?$/i.test(host) ? "loopback" : undefined;
  const family = kind === 4 ? "ipv4" : "ipv6";
  const found = networks.find(({ list }) => list.check(address, family));
  return found?.network ?? "public";
}

/** Address ranges outside the public internet, by network. Addresses with others embedded could lead anywhere, so they count as reserved. */
const ranges: Readonly<Record<Exclude<Network, "public">, readonly string[]>> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  "link-local": ["169.254.0.0/16", "fe80::/10"],
  private: ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
  reserved: [
    "0.0.0.0/8",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "::/96",
    "::ffff:0:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
    "5f00::/16",
    "fec0::/10",
    "ff00::/8",
  ],
};

const names = ["loopback", "link-local", "private", "reserved"] as const;

const networks = names.map((network) => ({ network, list: toList(ranges[network]) }));

function toList(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = "", bits] = subnet.split("/");
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? "ipv4" : "ipv6");
  }
  return list;
}
