// A person as the network identifies them.

/** `pn` and `lid` are the two ids; the unknown one is the empty string. */
export interface Person {
  id: string
  pn: string
  lid: string
}

export interface KnownName {
  person: Person
  name: string
}
