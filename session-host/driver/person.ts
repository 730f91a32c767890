// Somebody, as the network names him.

/** Both forms of an id where the network told both, else the empty string. */
export interface Person {
  id: string
  pn: string
  lid: string
}
