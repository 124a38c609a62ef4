import type { Config, Log } from '../model/index.ts'

/** What cannot change while it serves, by its key in orla.yaml. */
const FIXED: Readonly<Record<string, (config: Config) => unknown>> = {
  port: ({ port }) => port,
  host: ({ host }) => host,
  transport: ({ transport }) => transport,
  tls: ({ tls }) => tls.cert !== null,
  hosts: ({ hosts }) => hosts,
  audit: ({ audit }) => audit,
  log_file: ({ logFile }) => logFile,
  watch: ({ watch }) => watch,
  name_style: ({ nameStyle }) => nameStyle,
  describe_with_examples: ({ describeWithExamples }) => describeWithExamples,
  'limits.body': ({ limits }) => limits.bodyBytes,
  'limits.sessions': ({ limits }) => limits.sessions,
  'limits.session_idle': ({ limits }) => limits.sessionIdleMs,
  'limits.clients': ({ limits }) => limits.clients,
  'limits.connections': ({ limits }) => limits.connections,
}

export function warnAboutRestart(log: Log, before: Config, after: Config): void {
  const changed = Object.entries(FIXED)
    .filter(([, read]) => JSON.stringify(read(before)) !== JSON.stringify(read(after)))
    .map(([key]) => key)
  if (changed.length > 0) log.warn('these settings take effect after a restart', { settings: changed })
}
