/** All that holding programs on macOS takes. Linux never loads it. */
export { confineWithSeatbelt } from './confine.ts'
export { probeSeatbelt } from './probe.ts'
