/** Names of keys and channels. Everything about one thing is in one slot of a cluster. */
export interface RedisNames {
  /** Keys of a session by its tag. */
  session(tag: string): readonly [string, string, string, string];
  stream(tag: string, stream: string): StreamNames;
  /** Hash of the streams of a session. */
  streams(tag: string): string;
  lease(node: string): string;
  /** Stream of the messages to a node, and channel to wake the node. */
  messages(node: string): { readonly key: string; readonly channel: string };
  /** Stream, hash and channel of broadcasts. */
  readonly broadcasts: { readonly keys: readonly [string, string]; readonly channel: string };
  /** Keys of a registry: entries, owners, holders. */
  registry(kind: "sessions" | "tasks"): readonly [string, string, string];
  /** Key of a task, from the tags of its owner and of the task. With an empty tag of the task: the start of all keys of the owner. */
  task(owner: string, tag: string): string;
  /** Sorted set of the tasks of an owner. */
  tasks(owner: string): string;
  /** Leases of the tasks: sorted set by time, and nodes. */
  readonly leases: readonly [string, string];
  /** Steps of work, by the tag of its scope. */
  ledger(tag: string): string;
  replay(tag: string): string;
  rate(tag: string): string;
  /** Hash of revocations by their tags, and sorted set of the tags by expiry. */
  readonly revocations: readonly [string, string];
  /** Key of a secret value, and of its lease. */
  value(tag: string): readonly [string, string];
  /** Key and channel for a check of permissions. */
  readonly probe: string;
}

/** Keys and channels of a stream. */
export interface StreamNames {
  readonly meta: string;
  readonly events: string;
  /** Key present while a node watches the stream, and channel to wake the nodes. */
  readonly watch: string;
}

/** Creates names that start with the name of the application. */
export function createNames(application: string): RedisNames {
  const start = `${application}:v1`;
  return {
    session: (tag) => [`${start}:{${tag}}:s`, `${start}:{${tag}}:c`, `${start}:{${tag}}:d`, `${start}:{${tag}}:u`],
    stream: (tag, stream) => ({
      meta: `${start}:{${tag}}:m:${stream}`,
      events: `${start}:{${tag}}:e:${stream}`,
      watch: `${start}:{${tag}}:w:${stream}`,
    }),
    streams: (tag) => `${start}:{${tag}}:i`,
    lease: (node) => `${start}:n:{${node}}`,
    messages: (node) => ({ key: `${start}:q:{${node}}`, channel: `${start}:i:{${node}}` }),
    broadcasts: { keys: [`${start}:{a}:l`, `${start}:{a}:h`], channel: `${start}:{a}` },
    registry: (kind) => [`${start}:{${kind}}:x`, `${start}:{${kind}}:o`, `${start}:{${kind}}:h`],
    task: (owner, tag) => `${start}:{${owner}}:k:${tag}`,
    tasks: (owner) => `${start}:{${owner}}:t`,
    leases: [`${start}:{due}:l`, `${start}:{due}:n`],
    ledger: (tag) => `${start}:{${tag}}:g`,
    replay: (tag) => `${start}:j:${tag}`,
    rate: (tag) => `${start}:r:${tag}`,
    revocations: [`${start}:{x}:r`, `${start}:{x}:e`],
    value: (tag) => [`${start}:{${tag}}:v`, `${start}:{${tag}}:l`],
    probe: `${start}:{probe}`,
  };
}
