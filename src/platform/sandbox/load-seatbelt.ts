/** Only macOS has it. */
export function loadSeatbelt() {
  return import('./seatbelt/kit.ts')
}
