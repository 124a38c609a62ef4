/**
 * The command line: a table of commands, a parser, a printer. Promises: data on stdout, the rest on
 * stderr, one exit status. Refuses to know: how anything is done; app/ does it.
 */
export { run } from './run.ts'
