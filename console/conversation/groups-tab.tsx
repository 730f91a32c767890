// The groups of an instance, with their members and pictures.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { GroupRecord } from '@msgnet/shared/contract/responses/group-responses.ts'
import { useState } from 'preact/hooks'
import { JoinGroupDialog } from '../groups/join-group-dialog.tsx'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Badge, Field, Loading } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'
import { GroupCard } from './group-card.tsx'
import { Portrait } from './portrait.tsx'

const words = texts.groups

export function GroupsTab({ client, own }: { client: InstanceClient; own: string }) {
  const { value, error, reload } = useLoad(() => client.listGroups(), [client])
  const [open, setOpen] = useState('')
  const [creating, setCreating] = useState(false)
  const [joining, setJoining] = useState(false)
  return (
    <div class="stack">
      <div class="line">
        <Button class="main" onClick={() => setCreating(true)}>
          {words.create}
        </Button>
        <Button onClick={() => setJoining(true)}>{words.join}</Button>
        <ActionButton onAction={() => client.listGroups({ force: true }).then(reload)}>
          {words.refresh}
        </ActionButton>
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {!value && error === undefined && <Loading />}
      {value?.groups.length === 0 && <p class="card empty quiet">{words.none}</p>}
      <ul class="columns">
        {value?.groups.map((group) => (
          <li class="card stack" key={group.JID}>
            <GroupHead client={client} group={group} />
            {open === group.JID ? (
              <GroupCard {...{ client, group, own }} onChanged={reload} />
            ) : (
              <div>
                <Button onClick={() => setOpen(group.JID)}>{words.members(group.ParticipantCount)}</Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {joining && <JoinGroupDialog client={client} onJoined={reload} onClose={() => setJoining(false)} />}
      {creating && (
        <CreateGroup
          client={client}
          onClose={() => setCreating(false)}
          onCreated={(jid) => {
            setCreating(false)
            setOpen(jid)
            void reload()
          }}
        />
      )}
    </div>
  )
}

const GroupHead = ({ client, group }: { client: InstanceClient; group: GroupRecord }) => (
  <div class="line still">
    <Portrait client={client} jid={group.JID} name={group.Name} />
    <div class="grow">
      <h2 class="cut">{group.Name}</h2>
      <p class="small quiet cut">{group.Topic || group.JID}</p>
    </div>
    {group.OwnerIsAdmin && <Badge kind="good">{words.admin}</Badge>}
  </div>
)

interface CreateProps {
  client: InstanceClient
  onClose: () => void
  onCreated: (jid: string) => void
}

function CreateGroup({ client, onClose, onCreated }: CreateProps) {
  const [name, setName] = useState('')
  const [numbers, setNumbers] = useState('')
  const participants = numbers.split(/[\s,;]+/).filter(Boolean)
  return (
    <ConfirmDialog
      title={words.create}
      onClose={onClose}
      onConfirm={async () => onCreated((await client.createGroup({ name, participants })).JID)}
      confirm={words.create}
      disabled={!name.trim() || participants.length === 0}
    >
      <Field label={words.name} value={name} onInput={setName} autofocus />
      <Field label={words.numbers} hint={words.numbersHint} value={numbers} onInput={setNumbers} />
    </ConfirmDialog>
  )
}
