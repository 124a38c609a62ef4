/** Of some hundred places, in every page of what is not large: for what befalls a file on a disk, not for what someone does to it. */
export function sumOf({ buffer, byteOffset, length }: Uint8Array): number {
  const words = new Int32Array(buffer, byteOffset, length >> 2)
  const step = 1 + (words.length >> 8)
  let sum = length
  for (let at = 0; at < words.length; at += step) sum = (sum << 1) ^ (sum >>> 31) ^ (words[at] as number) // it is in there
  return sum
}
