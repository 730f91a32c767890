// One contact at the side of the page: its picture, what is known of it, and what can be done with it.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { useState } from 'preact/hooks'
import { Portrait } from '../conversation/portrait.tsx'
import { formatId } from '../format-id.ts'
import { toHash } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { answerAct } from '../ui/answer-line.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Badge, CopyButton, Fact, Field } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { useLoad } from '../ui/use-load.ts'

const words = texts.people.contacts
const blocking = texts.people.blocked

interface Props {
  client: InstanceClient
  instance: string
  jid: string
  name: string
  onChange: () => Promise<void>
  onClose: () => void
}

export function ContactDrawer({ client, instance, jid, name, onChange, onClose }: Props) {
  const { value, error, reload } = useLoad(
    () => client.showChat({ number: jid, preview: true }),
    [client, jid],
  )
  const isBlocked = value?.wa_isBlocked === true
  const changeBlock = async () => {
    await client.blockPerson({ number: jid, block: !isBlocked })
    await reload()
  }
  return (
    <Dialog drawer title={name || formatId(jid)} onClose={onClose}>
      <div class="line still">
        <Portrait client={client} jid={jid} name={name || formatId(jid)} />
        <span class="grow">{formatId(jid)}</span>
        <CopyButton text={formatId(jid)} />
        {isBlocked && <Badge kind="bad">{blocking.isBlocked}</Badge>}
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {value?.common_groups && (
        <dl class="facts">
          <Fact name={words.inGroups}>{listGroupNames(value.common_groups)}</Fact>
        </dl>
      )}
      <div class="line">
        <a class="button" href={toHash('instances', instance, 'chats', jid)}>
          <Icon name="chat" size={16} />
          {words.write}
        </a>
        {value && (
          <ActionButton onAction={changeBlock}>
            {isBlocked ? blocking.unblock : blocking.blockPerson}
          </ActionButton>
        )}
      </div>
      <hr />
      <RenameContact {...{ client, jid, name, onChange }} />
      <hr />
      <RemoveContact {...{ client, jid, name, onChange, onClose }} />
    </Dialog>
  )
}

/** `(Regulars)12036…@g.us,(Friends)…`: the names. */
const listGroupNames = (groups: string) =>
  groups
    .split(/,(?=\()/)
    .map((group) => /^\((.*)\)[^)]*$/.exec(group)?.[1] ?? group)
    .join(', ')

type ContactProps = Omit<Props, 'instance' | 'onClose'>

function RenameContact({ client, jid, name, onChange }: ContactProps) {
  const [typed, setTyped] = useState(name)
  return (
    <div class="stack tight">
      <Field label={words.name} value={typed} onInput={setTyped} />
      <div>
        <ActionButton
          onAction={() => client.addContact({ number: jid, name: typed }).then(onChange)}
          disabled={!typed.trim() || typed === name}
        >
          {words.rename}
        </ActionButton>
      </div>
    </div>
  )
}

function RemoveContact({ client, jid, name, onChange, onClose }: ContactProps & { onClose: () => void }) {
  const [asking, setAsking] = useState(false)
  const removeContact = async () => {
    await client.removeContact({ number: jid })
    onClose()
    answerAct(`${words.remove} ${name || formatId(jid)}`, () =>
      client.addContact({ number: jid, name }).then(onChange),
    )
    await onChange()
  }
  if (!asking)
    return (
      <div>
        <Button class="danger" onClick={() => setAsking(true)}>
          {words.remove}
        </Button>
      </div>
    )
  return (
    <div class="stack tight">
      <p class="strong">{words.removeQuestion(name || formatId(jid))}</p>
      <p class="quiet">{words.removeHint}</p>
      <div class="line">
        <Button onClick={() => setAsking(false)}>{texts.cancel}</Button>
        <ActionButton class="danger main" onAction={removeContact}>
          {words.remove}
        </ActionButton>
      </div>
    </div>
  )
}
