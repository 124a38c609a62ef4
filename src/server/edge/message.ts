/** A message ready to be sent. A long one that is the same for everybody but for its end stays in two pieces. */
export type Message = string | { readonly head: Buffer; readonly tail: string }
