/** The tool of the example that every project without a source has. */
export const measureText = { name: "measure_text", description: "Counts the words and characters of a text." } as const;

/** The tool of the example that asks the user something. */
export const greet = { name: "greet", description: "Greets the user by the name that they give." } as const;

/** Tools that the scaffold writes by itself. */
export const exampleTools: readonly { readonly name: string; readonly description: string }[] = [measureText, greet];
