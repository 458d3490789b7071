/** Secret that all nodes share. */
export const engineKey: Uint8Array = new TextEncoder().encode("a key of the tests, which all nodes share");

/** Name of the application in the engine. */
export const enginePrefix = "test";
