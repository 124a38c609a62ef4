/** Numbers that look like chance and are the same in every run: from 0 to 1. */
export function chances(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const ONSETS = 'b c d f g h j k l m n p r s t v w z br cl dr fl gr pl pr sh sp st th tr'.split(' ')
const VOWELS = 'a e i o u ai ea io ou'.split(' ')
const CODAS = ['', '', '', 'l', 'n', 'r', 's', 't', 'nd', 'st']

/** So many different words of two to four syllables, some of which share their beginnings as words do. */
export function makeVocabulary(count, chance) {
  const one = (parts) => parts[Math.floor(chance() * parts.length)]
  const words = new Set()
  const stems = Array.from({ length: 300 }, () => `${one(ONSETS)}${one(VOWELS)}${one(CODAS)}`)
  while (words.size < count) {
    let word = one(stems)
    for (let more = 1 + Math.floor(chance() * 3); more > 0; more--)
      word += `${one(ONSETS)}${one(VOWELS)}${one(CODAS)}`
    words.add(word)
  }
  return [...words]
}
