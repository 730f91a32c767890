// Shows the people whom a text mentions by name. Without imports: the console loads it with a conversation.

interface Mentioned {
  jid: string
  lid: string
  name: string
}

/** The text as people read it: a name in place of the digits of an id, or else the number, if it is known. */
export const showMentionedNames = (text: string, people: readonly Mentioned[] = []): string =>
  text.replace(/@(\d{5,20})/g, (written, digits) => {
    const person = people.find(({ jid, lid }) => [jid, lid].some((id) => id.startsWith(`${digits}@`)))
    const word = person && (person.name || person.jid.split('@')[0])
    return word ? `@${word}` : written
  })
