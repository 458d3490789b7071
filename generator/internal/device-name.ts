/** True if Windows opens a device under this name, in any folder and with any extension. */
export function isDeviceName(name: string): boolean {
  return /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³]) *(\.|:|$)/i.test(name);
}

/** Returns a file name without its extension. If Windows would open a device of that name, appends a word. */
export function avoidDevice(name: string, word: string): string {
  return isDeviceName(name) ? `${name}-${word}` : name;
}
