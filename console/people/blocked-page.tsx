// The people whom an instance's account has blocked.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { useState } from 'preact/hooks'
import type { AccountProps } from '../account-props.ts'
import { Portrait } from '../conversation/portrait.tsx'
import { formatId } from '../format-id.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { answerAct } from '../ui/answer-line.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Field } from '../ui/elements.tsx'
import { Toolbar } from '../ui/filters.tsx'
import { ListPage } from '../ui/list-page.tsx'
import { EmptyState } from '../ui/notices.tsx'
import { useLoad } from '../ui/use-load.ts'

const words = texts.people.blocked

interface Person {
  jid: string
  name: string
}

export function BlockedPage({ client }: AccountProps) {
  const loaded = useLoad(() => loadBlocked(client), [client])
  const [isBlocking, setBlocking] = useState(false)
  const setBlock = async (number: string, block: boolean) => {
    await client.blockPerson({ number, block })
    await loaded.reload()
  }
  const blockPerson = async (number: string) => {
    await setBlock(number, true)
    answerAct(words.blockNamed(formatId(number)), () => setBlock(number, false))
  }
  const unblock = async ({ jid, name }: Person) => {
    await setBlock(jid, false)
    answerAct(words.unblockNamed(name || formatId(jid)), () => setBlock(jid, true))
  }
  return (
    <ListPage
      filters={
        <Toolbar>
          <p class="quiet grow">{words.description}</p>
          <Button class="main" onClick={() => setBlocking(true)}>
            {words.block}
          </Button>
        </Toolbar>
      }
      loaded={loaded}
      getRows={(people) => people}
      label={texts.instance.tabs.blocked}
      columns={createColumns(client, unblock)}
      getKey={({ jid }) => jid}
      empty={<EmptyState icon="block" title={words.none} hint={words.noneHint} />}
    >
      {isBlocking && <BlockDialog onBlock={blockPerson} onClose={() => setBlocking(false)} />}
    </ListPage>
  )
}

/** With their names in the address book, where they are in it. */
async function loadBlocked(client: InstanceClient): Promise<Person[]> {
  const [{ blockList }, contacts] = await Promise.all([client.listBlocked(), client.listContacts()])
  const names = new Map(contacts.map(({ jid, contactName }) => [jid, contactName]))
  return blockList.map((jid) => ({ jid, name: names.get(jid) ?? '' }))
}

const createColumns = (
  client: InstanceClient,
  unblock: (person: Person) => Promise<void>,
): Column<Person>[] => [
  {
    key: 'person',
    title: words.person,
    narrow: 'title',
    render: ({ jid, name }) => (
      <span class="line still">
        <Portrait client={client} jid={jid} name={name || formatId(jid)} />
        <span class="two">
          <span class="cut">{name || formatId(jid)}</span>
          {name && <span class="small quiet">{formatId(jid)}</span>}
        </span>
      </span>
    ),
  },
  {
    key: 'actions',
    title: words.actions,
    align: 'end',
    narrow: 'end',
    render: (person) => (
      <ActionButton
        class="small-button"
        label={words.unblockNamed(person.name || formatId(person.jid))}
        onAction={() => unblock(person)}
      >
        {words.unblock}
      </ActionButton>
    ),
  },
]

interface BlockProps {
  onBlock: (number: string) => Promise<void>
  onClose: () => void
}

function BlockDialog({ onBlock, onClose }: BlockProps) {
  const [number, setNumber] = useState('')
  const blockPerson = async () => {
    await onBlock(number)
    onClose()
  }
  return (
    <ConfirmDialog
      title={words.block}
      onClose={onClose}
      onConfirm={blockPerson}
      confirm={words.blockConfirm}
      danger
      disabled={!number.trim()}
    >
      <p class="quiet">{words.blockHint}</p>
      <Field
        label={texts.people.contacts.number}
        hint={texts.people.contacts.numberHint}
        value={number}
        onInput={setNumber}
        inputMode="tel"
        autofocus
      />
    </ConfirmDialog>
  )
}
