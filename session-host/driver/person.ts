// A person as the network identifies them.

/** `pn` and `lid` are the two ids; the unknown one is the empty string. */
export interface Person {
  id: string
  pn: string
  lid: string
  /** As the network named it together with the ids, empty if it said that there is none any more; undefined where it did not say. */
  username?: string
}

/** `name` is empty where only the username is known. */
export interface KnownName {
  person: Person
  name: string
}
