// One group: its name, its picture, and its members.

import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance.ts'
import type { GroupRecord } from '../../shared/contract/answers/group.ts'
import { texts } from '../texts.ts'
import { Act } from '../ui/act.tsx'
import { Badge, Field } from '../ui/parts.tsx'
import { forgetPicture } from './pictures.ts'
import { Portrait } from './portrait.tsx'
import { shortId } from './words.ts'

const words = texts.groups

const nameOf = ({ DisplayName, PhoneNumber, JID }: GroupRecord['Participants'][number]) =>
  DisplayName || shortId(PhoneNumber || JID)

interface Props {
  client: InstanceClient
  group: GroupRecord
  onChanged: () => unknown
}

export function Group({ client, group, onChanged }: Props) {
  const [name, setName] = useState(group.Name)
  const [number, setNumber] = useState('')
  const [picture, setPicture] = useState<File>()
  const groupjid = group.JID
  const change = async (action: 'add' | 'remove' | 'promote' | 'demote', participant: string) => {
    const { groupUpdated } = await client.changeParticipants({
      groupjid,
      action,
      participants: [participant],
    })
    const refused = groupUpdated.find((one) => one.Error)
    await onChanged()
    if (refused) throw new Error(words.refused(shortId(refused.JID), refused.Error))
  }
  const show = async () => {
    if (!picture) return
    const bytes = new Uint8Array(await picture.arrayBuffer())
    let text = ''
    for (const byte of bytes) text += String.fromCharCode(byte)
    await client.changeGroupImage({ groupjid, image: btoa(text) })
    forgetPicture(client, groupjid)
    setPicture(undefined)
  }
  const removeIt = async () => {
    await client.changeGroupImage({ groupjid, image: 'remove' })
    forgetPicture(client, groupjid)
  }
  return (
    <div class="stack">
      <Field label={words.name} value={name} onInput={setName} />
      <div>
        <Act
          act={() => client.renameGroup({ groupjid, name }).then(onChanged)}
          disabled={!name.trim() || name === group.Name}
        >
          {words.rename}
        </Act>
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
        <Act act={show} disabled={!picture}>
          {words.setPicture}
        </Act>
        <Act act={removeIt}>{words.removePicture}</Act>
      </div>
      <ul class="stack tight">
        {group.Participants.map((one) => (
          <li class="line even" key={one.JID}>
            <span class="line still">
              <Portrait client={client} jid={one.PhoneNumber || one.JID} name={nameOf(one)} />
              <span>
                {nameOf(one)} {one.IsAdmin && <Badge>{words.admin}</Badge>}
              </span>
            </span>
            {group.OwnerIsAdmin && (
              <span class="line">
                <Act class="bare" act={() => change(one.IsAdmin ? 'demote' : 'promote', one.JID)}>
                  {one.IsAdmin ? words.demote : words.promote}
                </Act>
                <Act class="bare danger" act={() => change('remove', one.JID)}>
                  {words.remove}
                </Act>
              </span>
            )}
          </li>
        ))}
      </ul>
      <Field label={words.add} value={number} onInput={setNumber} inputMode="tel" />
      <div>
        <Act
          act={() => change('add', number).then(() => setNumber((now) => (now === number ? '' : now)))}
          disabled={!number.trim()}
        >
          {words.addDo}
        </Act>
      </div>
    </div>
  )
}
