import { NotSimple, type SchemaJudges } from '../formats/index.ts'
import type { JsonSchema } from '../model/index.ts'
import { surelyFits } from './plain-fit.ts'
import { isPlainSchema } from './plain-schema.ts'
import { loadSchemaKit } from './validate.ts'

const plain = new WeakSet<JsonSchema>()

/** Plain schemas are judged without the library, and so are values that fit them. What is wrong, it tells better. */
export const schemaJudges: SchemaJudges = {
  light: {
    check(schema) {
      expectPlain(schema)
      return []
    },
    validate(schema, value) {
      expectPlain(schema)
      if (!surelyFits(schema, value)) throw new NotSimple()
      return []
    },
  },
  load: loadSchemaKit,
}

function expectPlain(schema: JsonSchema): void {
  if (plain.has(schema)) return
  if (!isPlainSchema(schema)) throw new NotSimple()
  plain.add(schema)
}
