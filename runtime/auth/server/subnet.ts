/**
 * Returns the network from which one client can take addresses: an IPv4 address itself, or the /64 of an IPv6 address. IPv4 addresses in IPv6
 * notation (`::ffff:192.0.2.1`, `::ffff:c000:201`) count as IPv4.
 *
 * @see https://www.rfc-editor.org/rfc/rfc4291#section-2.5.4
 */
export function toSubnet(address: string): string {
  const [plain = ""] = address.toLowerCase().split("%");
  if (!plain.includes(":")) return plain;
  const groups = readGroups(plain);
  if (groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff") return groups.slice(6).flatMap(toBytes).join(".");
  return `${groups.slice(0, 4).join(":")}::/64`;
}

/** Returns the eight groups of up to four digits, without leading zeros. */
function readGroups(address: string): readonly string[] {
  const [before = "", after] = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, toHexGroups).split("::");
  const left = splitGroups(before);
  const right = splitGroups(after ?? "");
  const zeros = after === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  return [...left, ...zeros, ...right];
}

function splitGroups(text: string): readonly string[] {
  return text === "" ? [] : text.split(":").map((group) => group.replace(/^0+(?=.)/, ""));
}

function toHexGroups(_text: string, ...bytes: readonly string[]): string {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes.map(Number);
  return `${(first * 256 + second).toString(16)}:${(third * 256 + fourth).toString(16)}`;
}

function toBytes(group: string): readonly number[] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 255];
}
