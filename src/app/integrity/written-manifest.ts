// Reading manifests takes much that a command which only looks does not load.
export { writtenManifest } from '../../packages/index.ts'
