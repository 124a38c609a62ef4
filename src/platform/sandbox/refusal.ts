/** Why a program cannot run in its sandbox. It is told to people, and nothing is started. */
export class SandboxRefusal extends Error {
  override readonly name = 'SandboxRefusal'
}
