/** Most commands start nothing that has to be held. */
export function loadSandbox() {
  return import('./kit.ts')
}
