/** Whether Windows opens a device under this name, whatever follows a dot in it, and in whatever folder. */
export function isDeviceName(name: string): boolean {
  return /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³]) *(\.|:|$)/i.test(name);
}

/** The name of a file without its ending; with a word more where Windows would open a device instead. */
export function avoidDevice(name: string, word: string): string {
  return isDeviceName(name) ? `${name}-${word}` : name;
}
