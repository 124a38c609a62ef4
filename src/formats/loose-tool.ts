import {
  type Command,
  type JsonSchema,
  NO_VERSION,
  type Origin,
  oneLine,
  type Run,
  type Tool,
  type WrittenFace,
} from '../model/index.ts'
import { fingerprint } from './fingerprint.ts'
import type { LooseFile, Opening } from './loose.ts'
import type { Sidecar } from './sidecar.ts'

/**
 * The tool that an executable is by itself. Ten thousand of these are made at the start of a server, and few are
 * ever called: hence a class, whose parts are made when someone asks for them.
 */
export class LooseTool implements Tool {
  readonly name: string
  private readonly file: LooseFile
  private readonly opening: Opening
  private readonly cwd: string
  private madeOrigin: Origin | undefined

  constructor(name: string, file: LooseFile, opening: Opening, cwd: string) {
    this.name = name
    this.file = file
    this.opening = opening
    this.cwd = cwd
    // Here and not where it is declared: that is a function of its own, called for each.
    this.madeOrigin = undefined
  }

  get version(): string {
    return NO_VERSION
  }

  get description(): string {
    return this.opening.header.description ?? `Runs ${oneLine(this.file.relative)}`
  }

  get title(): string | undefined {
    return this.opening.header.title
  }

  get inputSchema(): JsonSchema | undefined {
    return this.opening.header.inputSchema
  }

  get written(): WrittenFace | undefined {
    return this.opening.written
  }

  get origin(): Origin {
    this.madeOrigin ??= { kind: 'loose', file: this.file.path }
    return this.madeOrigin
  }

  get run(): Run {
    return { kind: 'spawn', command: commandOf(this.file, this.opening, this.cwd) }
  }

  get digest(): string {
    return this.digestWith('')
  }

  /** What its sidecar says wins. */
  describedBy(sidecar: Sidecar): Tool {
    const { title, inputSchema } = this
    const tool: Building<Tool> = {
      name: this.name,
      version: NO_VERSION,
      description: sidecar.description?.trim() ?? this.description,
      origin: this.origin,
      run: runWith(commandOf(this.file, this.opening, this.cwd), sidecar),
      digest: this.digestWith(JSON.stringify(sidecar)),
    }
    if (title !== undefined) tool.title = title
    if (inputSchema !== undefined) tool.inputSchema = inputSchema
    if (sidecar.mcp) present(tool, sidecar.mcp)
    return tool
  }

  private digestWith(said: string): string {
    const { path, mtimeMs, size, mode } = this.file
    return fingerprint(`${path}\0${mtimeMs}\0${size}\0${mode}\0${this.cwd}\0${this.opening.print}\0${said}`)
  }
}

type Building<T> = { -readonly [K in keyof T]: T[K] }

function commandOf({ path }: LooseFile, { interpreter }: Opening, cwd: string): Command {
  if (interpreter === null) return { file: path, args: [], cwd, script: path }
  const [file = path, ...args] = interpreter
  return { file, args: [...args, path], cwd, script: path }
}

function runWith(command: Command, { runtime = {} }: Sidecar): Run {
  const { env, args = [], timeout } = runtime
  const whole = { ...command, args: [...command.args, ...args], ...(env && { env }) }
  return { kind: 'spawn', command: whole, ...(timeout !== undefined && { timeoutMs: timeout }) }
}

function present(tool: Building<Tool>, mcp: NonNullable<Sidecar['mcp']>): void {
  if (mcp.title !== undefined) tool.title = mcp.title
  if (mcp.input_schema !== undefined) tool.inputSchema = mcp.input_schema
  if (mcp.output_schema !== undefined) tool.outputSchema = mcp.output_schema
  if (mcp.annotations !== undefined) tool.annotations = { ...mcp.annotations }
  if (mcp.icons !== undefined) tool.icons = mcp.icons
  if (mcp._meta !== undefined) tool.meta = mcp._meta
}
