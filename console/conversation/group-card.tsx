// One group: its name, its picture, and its members.

import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance-client.ts'
import type { GroupRecord } from '../../shared/contract/responses/group-responses.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Badge, Field } from '../ui/elements.tsx'
import { formatId } from './format-id.ts'
import { invalidatePicture } from './load-pictures.ts'
import { Portrait } from './portrait.tsx'

const words = texts.groups

const formatMember = ({ DisplayName, PhoneNumber, JID }: GroupRecord['Participants'][number]) =>
  DisplayName || formatId(PhoneNumber || JID)

interface Props {
  client: InstanceClient
  group: GroupRecord
  onChanged: () => unknown
}

export function GroupCard({ client, group, onChanged }: Props) {
  const [name, setName] = useState(group.Name)
  const [number, setNumber] = useState('')
  const [picture, setPicture] = useState<File>()
  const groupjid = group.JID
  const changeMember = async (action: 'add' | 'remove' | 'promote' | 'demote', participant: string) => {
    const { groupUpdated } = await client.changeParticipants({
      groupjid,
      action,
      participants: [participant],
    })
    const refused = groupUpdated.find((one) => one.Error)
    await onChanged()
    if (refused) throw new Error(words.refused(formatId(refused.JID), refused.Error))
  }
  const savePicture = async () => {
    if (!picture) return
    const bytes = new Uint8Array(await picture.arrayBuffer())
    let text = ''
    for (const byte of bytes) text += String.fromCharCode(byte)
    await client.changeGroupImage({ groupjid, image: btoa(text) })
    invalidatePicture(client, groupjid)
    setPicture(undefined)
  }
  const deletePicture = async () => {
    await client.changeGroupImage({ groupjid, image: 'remove' })
    invalidatePicture(client, groupjid)
  }
  return (
    <div class="stack">
      <Field label={words.name} value={name} onInput={setName} />
      <div>
        <ActionButton
          onAction={() => client.renameGroup({ groupjid, name }).then(onChanged)}
          disabled={!name.trim() || name === group.Name}
        >
          {words.rename}
        </ActionButton>
      </div>
      <div class="field">
        <label>
          <span class="label strong">{words.picture}</span>
          <input
            type="file"
            accept="image/jpeg,image/png,image/gif"
            onChange={(event) => setPicture(event.currentTarget.files?.[0])}
          />
        </label>
      </div>
      <div class="line">
        <ActionButton onAction={savePicture} disabled={!picture}>
          {words.setPicture}
        </ActionButton>
        <ActionButton onAction={deletePicture}>{words.removePicture}</ActionButton>
      </div>
      <ul class="stack tight">
        {group.Participants.map((one) => (
          <li class="line even" key={one.JID}>
            <span class="line still">
              <Portrait client={client} jid={one.PhoneNumber || one.JID} name={formatMember(one)} />
              <span>
                {formatMember(one)} {one.IsAdmin && <Badge>{words.admin}</Badge>}
              </span>
            </span>
            {group.OwnerIsAdmin && (
              <span class="line">
                <ActionButton
                  class="bare"
                  onAction={() => changeMember(one.IsAdmin ? 'demote' : 'promote', one.JID)}
                >
                  {one.IsAdmin ? words.demote : words.promote}
                </ActionButton>
                <ActionButton class="bare danger" onAction={() => changeMember('remove', one.JID)}>
                  {words.remove}
                </ActionButton>
              </span>
            )}
          </li>
        ))}
      </ul>
      <Field label={words.add} value={number} onInput={setNumber} inputMode="tel" />
      <div>
        <ActionButton
          onAction={() =>
            changeMember('add', number).then(() => setNumber((now) => (now === number ? '' : now)))
          }
          disabled={!number.trim()}
        >
          {words.addConfirm}
        </ActionButton>
      </div>
    </div>
  )
}
