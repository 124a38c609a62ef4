/** What a server needs once its first client has its list, in one piece: each file by itself would be opened by itself. */
export { openControl } from './control.ts'
export { checkPolicy } from './sandbox/policy.ts'
export { openServedCalls } from './served-calls.ts'
export { keepRecord } from './server-record.ts'
export { stopServing } from './stop-serving.ts'
export { watchClient } from './watch-client.ts'
