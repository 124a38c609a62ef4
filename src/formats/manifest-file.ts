import type { JsonObject, Manifest, ManifestRuntime } from '../model/index.ts'
import { compact } from './compact.ts'

/** A manifest as tool.yaml would say it: what receipts keep and `--json` prints. */
export function toManifestFile(manifest: Manifest): JsonObject {
  const { mcp, limits, hooks } = manifest
  return compact<JsonObject>({
    name: manifest.name,
    version: manifest.version,
    description: manifest.description,
    entrypoint: manifest.entrypoint,
    author: manifest.author,
    license: manifest.license,
    repository: manifest.repository,
    homepage: manifest.homepage,
    language: manifest.language,
    keywords: manifest.keywords,
    capabilities: manifest.capabilities,
    dependencies: manifest.dependencies,
    permissions: manifest.permissions ?? undefined,
    mcp: compact<JsonObject>({
      title: mcp.title,
      icons: mcp.icons,
      annotations: mcp.annotations,
      _meta: mcp.meta,
      input_schema: mcp.inputSchema,
      output_schema: mcp.outputSchema,
    }),
    runtime: toRuntimeFile(manifest.runtime),
    limits: compact<JsonObject>({
      timeout: milliseconds(limits.timeoutMs),
      cpu: milliseconds(limits.cpuMs),
      memory: limits.memoryBytes,
      processes: limits.processes,
      file_size: limits.fileBytes,
      output: limits.outputBytes,
    }),
    hooks: compact<JsonObject>({ post_install: hooks.postInstall }),
  })
}

function toRuntimeFile(runtime: ManifestRuntime): JsonObject {
  const { hotLoad, health, restart } = runtime
  return compact<JsonObject>({
    mode: runtime.mode,
    startup_timeout_ms: runtime.startupTimeoutMs,
    hot_load: hotLoad && { watch: hotLoad.watch, mode: 'restart', debounce_ms: hotLoad.debounceMs },
    env: runtime.env,
    args: runtime.args,
    timeout: milliseconds(runtime.timeoutMs),
    handshake: runtime.handshake,
    start: runtime.start,
    health: health && compact<JsonObject>({ interval_ms: health.intervalMs, timeout_ms: health.timeoutMs }),
    idle_timeout_ms: runtime.idleTimeoutMs,
    max_concurrency: runtime.maxConcurrency,
    restart:
      restart &&
      compact<JsonObject>({
        base_ms: restart.baseMs,
        cap_ms: restart.capMs,
        limit: restart.limit,
        window_ms: restart.windowMs,
      }),
  })
}

function milliseconds(amount: number | undefined): string | undefined {
  return amount === undefined ? undefined : `${amount}ms`
}
