// Rules between the fields of a body, in the words of JSON Schema that generators of types pass over: `not`, and `if` with `then`.

type Rule = Record<string, unknown>

const toProperties = (names: readonly string[], schema: Rule): Rule =>
  Object.fromEntries(names.map((name) => [name, schema]))

/** One of the fields must have a value. `empty`: values that count as none. */
export const requireAny = (names: readonly string[], empty: unknown[] = [null]): Rule => ({
  not: { properties: toProperties(names, { enum: empty }) },
})

/** One of the fields must have a value, and no other of them. */
export const requireSingle = (names: readonly string[]): Rule => ({
  ...requireAny(names),
  allOf: names.map((name, index) => ({
    if: matchPresence(name),
    // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema.
    then: { properties: toProperties(names.slice(index + 1), { type: 'null' }) },
  })),
})

/** Where the field has another value than `null`. */
export const matchPresence = (name: string): Rule => ({
  required: [name],
  properties: { [name]: { not: { type: 'null' } } },
})

/** Where the field has one of these values. */
export const matchValues = (name: string, values: readonly unknown[]): Rule => ({
  required: [name],
  properties: { [name]: { enum: values } },
})

/** `rule` applies where `condition` does, otherwise `otherwise`. */
export const applyIf = (condition: Rule, rule: Rule, otherwise?: Rule): Rule => ({
  if: condition,
  // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema.
  then: rule,
  ...(otherwise && { else: otherwise }),
})
