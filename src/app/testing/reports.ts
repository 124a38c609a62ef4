import { resolve } from 'node:path'
import { formatJunit, formatReportJson, formatTap, type TestReport } from '../../formats/index.ts'
import { writeFileAtomic } from '../../platform/index.ts'
import type { World } from '../world.ts'

const FORMATS = {
  json: formatReportJson,
  junit: formatJunit,
  tap: formatTap,
} as const satisfies Record<string, (report: TestReport) => string>

export type ReportFormat = keyof typeof FORMATS

export function renderReport(report: TestReport, format: ReportFormat): string {
  return FORMATS[format](report)
}

export function writeReport(world: World, file: string, text: string): void {
  writeFileAtomic(resolve(world.cwd, file), text)
}
