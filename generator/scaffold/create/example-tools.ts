/** Example tool of every project that has no source of tools. */
export const measureText = { name: "measure_text", description: "Counts the words and characters of a text." } as const;

/** Example tool that asks the user for input. */
export const greet = { name: "greet", description: "Greets the user by the name that they give." } as const;

/** Tools that the scaffold writes by itself. */
export const exampleTools: readonly { readonly name: string; readonly description: string }[] = [measureText, greet];
