// Whether the name of a function begins with a participle: what it did or is doing to something, instead of what it does.

/** Verbs that end as participles do, and nouns. */
const NO_PARTICIPLES = new Set(
  'need feed seed embed speed shed proceed exceed succeed bleed breed shred bring ring ping string spring sing swing'.split(
    ' ',
  ),
)

/** Participles without `ed` that are no infinitives too. */
const IRREGULAR = new Set(
  (
    'kept told held made sent given said known taken written drawn shown seen heard lost gone done begun built brought ' +
    'caught met spoken chosen broken frozen hidden risen fallen grown thrown borne worn torn bought thought taught ' +
    'sought paid laid meant dealt felt slept swept hung stuck struck won woken shaken mistaken forgotten got gotten ' +
    'stood understood sold unsent unkept withheld wanted mine theirs'
  ).split(' '),
)

/** The first word of a name in camel case; types and components of the console are nouns. */
const findFirstWord = (name: string) => /^[a-z]+/.exec(name)?.[0] ?? ''

export function beginsWithParticiple(name: string): boolean {
  const word = findFirstWord(name)
  return IRREGULAR.has(word) || (/[a-z](ed|ing)$/.test(word) && !NO_PARTICIPLES.has(word))
}
