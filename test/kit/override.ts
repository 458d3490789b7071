/** Returns a store whose other methods are those of `store`, which have private members. */
export function override<Store extends object>(store: Store, methods: Partial<Store> = {}): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(name in methods ? methods : target, name);
      return typeof value === "function" ? value.bind(name in methods ? methods : target) : value;
    },
  });
}
