import { keepStdout } from "./stdout.ts";

/*
 * Must be the first import of a server on stdio. stdout carries only messages of the protocol. Output of packages while they are loaded would corrupt
 * them, so that all output goes to stderr until the server runs.
 */
keepStdout();

export { releaseStdout } from "./stdout.ts";
