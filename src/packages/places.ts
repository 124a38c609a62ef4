/** Where packages of one scope live. */
export interface Places {
  /** The project's, when an orla.yaml governs; else everyone's. */
  readonly scope: 'project' | 'global'
  /** NAME/VERSION folders are made in here. */
  readonly toolsDir: string
  /** Where .mcpkg packages live; by default .mcp beside the lock. */
  readonly mcpDir?: string
  /** What is installed; without a project, .mcpkg packages are remembered in `mcpDir`. */
  readonly lockFile: string
  /** Orla's own folder. */
  readonly home: string
  readonly cacheDir: string
}
