import { register } from "node:module";

// The command line is published alone, but asks for a file of the package that it is usually part of.
const hook = `export const resolve = (specifier, context, next) =>
  next(specifier === "../../package.json" ? "../package.json" : specifier, context);`;

register(`data:text/javascript,${encodeURIComponent(hook)}`);
