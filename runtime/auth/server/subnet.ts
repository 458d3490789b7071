/**
 * Returns the network that one client can take addresses from: an IPv4 address itself, or the /64 of an IPv6 address. IPv4 addresses in IPv6 notation
 * (`::ffff:192.0.2.1`) count as IPv4.
 *
 * @see https://www.rfc-editor.org/rfc/rfc4291#section-2.5.4
 */
export function toSubnet(address: string): string {
  const [plain = ""] = address.toLowerCase().split("%");
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/.exec(plain)?.[1];
  if (mapped !== undefined || !plain.includes(":")) return mapped ?? plain;
  const [before = "", after] = plain.split("::");
  const left = readGroups(before);
  const right = readGroups(after ?? "");
  const zeros = after === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  return `${[...left, ...zeros, ...right].slice(0, 4).join(":")}::/64`;
}

/** Returns groups of up to four digits without leading zeros. */
function readGroups(text: string): readonly string[] {
  return text === "" ? [] : text.split(":").map((group) => group.replace(/^0+(?=.)/, ""));
}
