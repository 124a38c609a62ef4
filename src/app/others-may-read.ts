/** What to say of a file that opens something and is not its owner's alone. */
export function othersMayRead(
  what: string,
  file: string,
): { readonly message: string; readonly hint: string } {
  return { message: `others may read the ${what} ${file}`, hint: `chmod 600 ${file}` }
}
