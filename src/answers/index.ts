/** Answers of commands that only look: kept, and given again while nothing that was looked at has changed. */
export { keepsAnswers, type Question, questionOf } from './question.ts'
export { type Recording, startRecording } from './recording.ts'
export { keptAnswer } from './repeat.ts'
export { sumOf } from './sum.ts'
