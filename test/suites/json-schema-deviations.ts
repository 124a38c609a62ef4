interface Deviation {
  readonly reason: string
  /** File, group and test; the whole group where its schema cannot be used. */
  readonly cases: readonly string[]
}

/** Where Orla judges otherwise than the suite, or refuses the schema. Whatever else deviates is a fault. */
export const DEVIATIONS: Readonly<Record<'draft7' | 'draft2020-12', readonly Deviation[]>> = {
  draft7: [
    {
      reason: 'They refer to a document elsewhere, and Orla fetches none for a schema.',
      cases: [
        'refRemote | remote ref | (cannot be used)',
        'refRemote | fragment within remote ref | (cannot be used)',
        'refRemote | ref within remote ref | (cannot be used)',
        'refRemote | base URI change | (cannot be used)',
        'refRemote | base URI change - change folder | (cannot be used)',
        'refRemote | base URI change - change folder in subschema | (cannot be used)',
        'refRemote | root ref in remote ref | (cannot be used)',
        'refRemote | remote ref with ref to definitions | (cannot be used)',
        'refRemote | Location-independent identifier in remote ref | (cannot be used)',
        'refRemote | retrieved nested refs resolve relative to their URI not $id | (cannot be used)',
        'refRemote | $ref to $ref finds location-independent $id | (cannot be used)',
      ],
    },
    {
      reason: 'ajv leaves a property called `__proto__` alone, so that no schema reaches the prototype.',
      cases: [
        'properties | properties whose names are Javascript object property names | __proto__ not valid',
      ],
    },
    {
      reason: 'ajv follows an `$id` beside a `$ref`, which draft 7 says to ignore.',
      cases: [
        'ref | $ref prevents a sibling $id from changing the base uri | $ref resolves to /definitions/base_foo, data does not validate',
        'ref | $ref prevents a sibling $id from changing the base uri | $ref resolves to /definitions/base_foo, data validates',
      ],
    },
  ],
  'draft2020-12': [
    {
      reason: 'They refer to a document elsewhere, and Orla fetches none for a schema.',
      cases: [
        'dynamicRef | strict-tree schema, guards against misspelled properties | (cannot be used)',
        'dynamicRef | tests for implementation dynamic anchor and reference link | (cannot be used)',
        'dynamicRef | $ref and $dynamicAnchor are independent of order - $defs first | (cannot be used)',
        'dynamicRef | $ref and $dynamicAnchor are independent of order - $ref first | (cannot be used)',
        'dynamicRef | $ref to $dynamicRef finds detached $dynamicAnchor | (cannot be used)',
        'refRemote | remote ref | (cannot be used)',
        'refRemote | fragment within remote ref | (cannot be used)',
        'refRemote | anchor within remote ref | (cannot be used)',
        'refRemote | ref within remote ref | (cannot be used)',
        'refRemote | base URI change | (cannot be used)',
        'refRemote | base URI change - change folder | (cannot be used)',
        'refRemote | base URI change - change folder in subschema | (cannot be used)',
        'refRemote | root ref in remote ref | (cannot be used)',
        'refRemote | remote ref with ref to defs | (cannot be used)',
        'refRemote | Location-independent identifier in remote ref | (cannot be used)',
        'refRemote | retrieved nested refs resolve relative to their URI not $id | (cannot be used)',
        'refRemote | remote HTTP ref with different $id | (cannot be used)',
        'refRemote | remote HTTP ref with different URN $id | (cannot be used)',
        'refRemote | remote HTTP ref with nested absolute ref | (cannot be used)',
        'refRemote | $ref to $ref finds detached $anchor | (cannot be used)',
      ],
    },
    {
      reason: 'Formats are checked, not only noted: a model that makes up a date should hear of it.',
      cases: [
        'format | email format | invalid email string is only an annotation by default',
        'format | regex format | invalid regex string is only an annotation by default',
        'format | ipv4 format | invalid ipv4 string is only an annotation by default',
        'format | ipv6 format | invalid ipv6 string is only an annotation by default',
        'format | hostname format | invalid hostname string is only an annotation by default',
        'format | date format | invalid date string is only an annotation by default',
        'format | date-time format | invalid date-time string is only an annotation by default',
        'format | time format | invalid time string is only an annotation by default',
        'format | json-pointer format | invalid json-pointer string is only an annotation by default',
        'format | relative-json-pointer format | invalid relative-json-pointer string is only an annotation by default',
        'format | uri format | invalid uri string is only an annotation by default',
        'format | uri-reference format | invalid uri-reference string is only an annotation by default',
        'format | uri-template format | invalid uri-template string is only an annotation by default',
        'format | uuid format | invalid uuid string is only an annotation by default',
        'format | duration format | invalid duration string is only an annotation by default',
      ],
    },
    {
      reason:
        'ajv knows `$dynamicRef` only as a fragment of one document. A schema that needs more is refused or judged by the nearest anchor.',
      cases: [
        'dynamicRef | A $dynamicRef to a $dynamicAnchor in the same schema resource behaves like a normal $ref to an $anchor | An array of strings is valid',
        'dynamicRef | A $dynamicRef to an $anchor in the same schema resource behaves like a normal $ref to an $anchor | An array of strings is valid',
        'dynamicRef | A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated | An array of strings is valid',
        'dynamicRef | A $dynamicRef without anchor in fragment behaves identical to $ref | An array of numbers is valid',
        "dynamicRef | A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution | An array of strings is valid",
        'dynamicRef | An $anchor with the same name as a $dynamicAnchor is not used for dynamic scope resolution | Any array is valid',
        'dynamicRef | A $dynamicRef without a matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor | Any array is valid',
        'dynamicRef | A $dynamicRef with a non-matching $dynamicAnchor in the same schema resource behaves like a normal $ref to $anchor | Any array is valid',
        'dynamicRef | A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope | (cannot be used)',
        'dynamicRef | A $dynamicRef that initially resolves to a schema without a matching $dynamicAnchor behaves like a normal $ref to $anchor | (cannot be used)',
        'dynamicRef | multiple dynamic paths to the $dynamicRef keyword | number list with string values',
        'dynamicRef | multiple dynamic paths to the $dynamicRef keyword | string list with number values',
        'dynamicRef | after leaving a dynamic scope, it is not used by a $dynamicRef | (cannot be used)',
        'dynamicRef | $dynamicRef points to a boolean schema | follow $dynamicRef to a false schema',
        'dynamicRef | $dynamicRef skips over intermediate resources - direct reference | integer property passes',
        'dynamicRef | $dynamicRef avoids the root of each schema, but scopes are still registered | data is sufficient for schema at second#/$defs/length',
        'unevaluatedItems | unevaluatedItems with $dynamicRef | with no unevaluated items',
        'unevaluatedProperties | unevaluatedProperties with $dynamicRef | with no unevaluated properties',
      ],
    },
    {
      reason: 'ajv does not count what `contains`, `if` without `then`, or an inner `items` has looked at.',
      cases: [
        'unevaluatedItems | unevaluatedItems with nested items | with no additional items',
        'unevaluatedItems | unevaluatedItems with nested items | with invalid additional item',
        'unevaluatedItems | unevaluatedItems depends on adjacent contains | contains passes, second item is not evaluated',
        'unevaluatedItems | unevaluatedItems depends on multiple nested contains | 7 not evaluated, fails unevaluatedItems',
        "unevaluatedItems | unevaluatedItems and contains interact to control item dependency relationship | only b's are invalid",
        "unevaluatedItems | unevaluatedItems and contains interact to control item dependency relationship | only c's are invalid",
        "unevaluatedItems | unevaluatedItems and contains interact to control item dependency relationship | only b's and c's are invalid",
        "unevaluatedItems | unevaluatedItems and contains interact to control item dependency relationship | only a's and c's are invalid",
        'unevaluatedItems | unevaluatedItems with minContains = 0 | all items evaluated by contains',
        'unevaluatedItems | unevaluatedItems can see annotations from if without then and else | valid in case if is evaluated',
        'unevaluatedProperties | unevaluatedProperties with if/then/else, then not defined | when if is true and has no unevaluated properties',
        'unevaluatedProperties | unevaluatedProperties with if/then/else, then not defined | when if is false and has unevaluated properties',
        'unevaluatedProperties | unevaluatedProperties can see annotations from if without then and else | valid in case if is evaluated',
      ],
    },
    {
      reason: 'ajv leaves a property called `__proto__` alone, so that no schema reaches the prototype.',
      cases: [
        'properties | properties whose names are Javascript object property names | __proto__ not valid',
      ],
    },
    {
      reason: 'A dialect of its own would have to be fetched; the schema is read as draft 2020-12.',
      cases: [
        'vocabulary | schema that uses custom metaschema with with no validation vocabulary | no validation: invalid number, but it still validates',
      ],
    },
    {
      reason:
        'ajv does not come to an end with an inner `$id` whose references lead out again; the schema is refused.',
      cases: [
        'ref | refs with relative uris and defs | (cannot be used)',
        'ref | relative refs with absolute uris and defs | (cannot be used)',
        'ref | URN ref with nested pointer ref | (cannot be used)',
      ],
    },
    {
      reason: 'ajv refuses an `enum` without values, which nothing could fit.',
      cases: ['enum | empty enum | (cannot be used)'],
    },
  ],
}
