import { expect, test } from "vitest";
import { createNatsEngine } from "../../../cluster/nats/index.ts";
import { createRedisEngine } from "../../../cluster/redis/index.ts";
import { SetupError } from "../../../runtime/jsonrpc/errors.ts";

const keys = [new Uint8Array(32).fill(7)];

const createRedis = (url: string): unknown => createRedisEngine({ url, keys, prefix: "shop" });
const createNats = (servers: string): unknown => createNatsEngine({ servers, keys, prefix: "shop" });

test.each([
  ["redis://:100%25@host:6379", createRedis],
  ["redis://ada:a%23b%3Fc@[::1]/15?timeout=1", createRedis],
  ["nats://ada:100%25@host:4222,other", createNats],
])("credentials in %s are decoded", (url, create) => {
  expect(() => create(url)).not.toThrow();
});

test.each([
  ["redis://:100%@host:6379", createRedis],
  ["redis://%zz:secret@host", createRedis],
  ["redis://default:123#abc@host:6379", createRedis],
  ["redis://default:123?abc@host:6379", createRedis],
  ["nats://ada:100%@host:4222", createNats],
  ["nats://%zz@host", createNats],
])("credentials in %s are rejected, and not shown", (url, create) => {
  const problem = /^The credentials in .* are invalid; write % as %25, # as %23 and \? as %3F$/;
  expect(() => create(url)).toThrow(SetupError);
  expect(() => create(url)).toThrow(problem);
});
