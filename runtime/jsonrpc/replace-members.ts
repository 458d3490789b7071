import type { Channel } from "./channel.ts";

/** Returns the channel with other members in place of some. Its optional members stay optional, because their absence has a meaning. */
export function replaceMembers(channel: Channel, members: Partial<Channel>): Channel {
  return new Proxy(channel, {
    get(target, key) {
      if (Object.hasOwn(members, key)) return Reflect.get(members, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
