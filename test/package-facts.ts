import type { PackageFacts } from '../src/model/index.ts'

/** Of a folder that nobody installed. */
export const A_PACKAGE: PackageFacts = { name: 'a-package', permissions: null, limits: {} }
