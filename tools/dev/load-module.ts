/** Loads a module written for one load. */
export function loadModule(url: string): Promise<unknown> {
  return import(url);
}
