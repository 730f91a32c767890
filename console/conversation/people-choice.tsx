// A list of chats and contacts to choose from, with a field that searches them and takes a number too.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { useEffect, useState } from 'preact/hooks'
import { hasWords } from '../fold-text.ts'
import { formatId } from '../format-id.ts'
import { Checkbox, Field, Loading } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'

const MAX_ROWS = 40

export interface Person {
  id: string
  name: string
}

interface Props {
  client: InstanceClient
  label: string
  hint: string
  typed: string
  onType: (typed: string) => void
  chosen: readonly Person[]
  onChange: (chosen: Person[]) => void
  /** Whether it may be listed. */
  isOffered?: (person: Person) => boolean
}

export function PeopleChoice({ client, label, hint, typed, onType, chosen, onChange, isOffered }: Props) {
  const [found, setFound] = useState<Person[]>()
  const { value: contacts = [], error } = useLoad(() => client.listContacts(), [client])
  const chats = useLoad(
    () => client.findChats({ limit: MAX_ROWS, ...(typed.trim() && { search: typed.trim() }) }),
    [client, typed],
  )
  const { value } = chats
  // The list of the search before stays until this one is there.
  useEffect(() => {
    if (!value) return
    const people = [
      ...chosen,
      ...value.chats.map(({ id, wa_name }) => ({ id, name: wa_name || formatId(id) })),
      ...contacts
        .map(({ jid, contactName }) => ({ id: jid, name: contactName || formatId(jid) }))
        .filter(({ id, name }) => hasWords(`${name} ${id}`, typed)),
    ]
    const byId = new Map(people.filter(isOffered ?? Boolean).map((person) => [person.id, person]))
    setFound([...byId.values()].slice(0, MAX_ROWS))
  }, [value, contacts.length])
  const isChosen = ({ id }: Person) => chosen.some((person) => person.id === id)
  const togglePerson = (person: Person, isOn: boolean) => {
    onChange(isOn ? [...chosen, person] : chosen.filter(({ id }) => id !== person.id))
    if (isOn) onType('')
  }
  return (
    <>
      <Field {...{ label, hint }} value={typed} onInput={onType} autofocus />
      {(error ?? chats.error) !== undefined && <ErrorNote error={error ?? chats.error} />}
      {!found && <Loading />}
      <fieldset class="people-choice">
        <legend class="unseen">{label}</legend>
        {found?.map((person) => (
          <Checkbox
            key={person.id}
            checked={isChosen(person)}
            onChange={(isOn) => togglePerson(person, isOn)}
          >
            {person.name}{' '}
            <span class="small quiet">{person.name !== formatId(person.id) && formatId(person.id)}</span>
          </Checkbox>
        ))}
      </fieldset>
    </>
  )
}
