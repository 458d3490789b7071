/** JSON-RPC message, as far as the tests look into it. */
export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Parses a message; `undefined` when the text is no JSON object. */
export function parseMessage(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMessage(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True if a message is a response. */
export function isResponse(message: Message | undefined): boolean {
  return message?.result !== undefined || message?.error !== undefined;
}

/** Text of the first content of the result of a tool. */
export function readText(message: Message): string | undefined {
  const { content } = message.result ?? {};
  const [first]: readonly unknown[] = Array.isArray(content) ? content : [];
  const text = typeof first === "object" && first !== null && "text" in first ? first.text : undefined;
  return typeof text === "string" ? text : undefined;
}
