import { checkPackageName } from '../package-name.ts'
import { checkToolId } from './tool-id.ts'

/** Whether a name is that of an .mcpkg: it has a dot, which no other package has. */
export function isToolId(name: string): boolean {
  return name.includes('.') && checkToolId(name) === undefined
}

/** Why a text can be neither the name of a package nor a toolId; undefined when it can. */
export function checkInstallName(name: string): string | undefined {
  const wrong = checkPackageName(name)
  return wrong === undefined || isToolId(name) ? undefined : wrong
}
