// One group: its name, its picture, and its members.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { GroupRecord } from '@msgnet/shared/contract/responses/group-responses.ts'
import { useState } from 'preact/hooks'
import { formatId } from '../format-id.ts'
import { GroupInvitation, JoinRequests } from '../groups/group-invitation.tsx'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Badge, Field } from '../ui/elements.tsx'
import { useLoad } from '../ui/use-load.ts'
import { invalidatePicture } from './load-pictures.ts'
import { Portrait } from './portrait.tsx'

const words = texts.groups

type Member = GroupRecord['Participants'][number]
type ChangeMember = (action: 'add' | 'remove' | 'promote' | 'demote', participant: string) => Promise<void>

const formatMember = ({ DisplayName, PhoneNumber, JID }: Member) =>
  DisplayName || formatId(PhoneNumber || JID)

interface Props {
  client: InstanceClient
  group: GroupRecord
  /** Digits of the account. */
  own: string
  onChanged: () => unknown
}

export function GroupCard({ client, group: listed, own, onChanged }: Props) {
  // The list does not name members, unless the network does.
  const { value: group = listed } = useLoad(
    () => client.showGroup({ groupjid: listed.JID }),
    [client, listed],
  )
  const [name, setName] = useState(group.Name)
  const groupjid = group.JID
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
      <GroupPicture client={client} groupjid={groupjid} />
      <GroupMembers {...{ client, group, own, onChanged }} />
      {group.OwnerIsAdmin && <GroupInvitation client={client} group={group} onChanged={onChanged} />}
      {group.OwnerIsAdmin && group.IsJoinApprovalRequired && (
        <JoinRequests client={client} group={group} onChanged={onChanged} />
      )}
    </div>
  )
}

function GroupPicture({ client, groupjid }: { client: InstanceClient; groupjid: string }) {
  const [picture, setPicture] = useState<File>()
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
    <>
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
    </>
  )
}

function GroupMembers({ client, group, own, onChanged }: Props) {
  const isOwn = ({ PhoneNumber, JID }: Member) => (PhoneNumber || JID) === `${own}@s.msgnet.net`
  const [number, setNumber] = useState('')
  const changeMember: ChangeMember = async (action, participant) => {
    const { groupUpdated } = await client.changeParticipants({
      groupjid: group.JID,
      action,
      participants: [participant],
    })
    const refused = groupUpdated.find((member) => member.Error)
    await onChanged()
    if (refused) throw new Error(words.refused(formatId(refused.JID), refused.Error))
  }
  return (
    <>
      <ul class="stack tight">
        {group.Participants.map((member) => (
          <li class="line even" key={member.JID}>
            <span class="line still">
              <Portrait client={client} jid={member.PhoneNumber || member.JID} name={formatMember(member)} />
              <span>
                {formatMember(member)} {isOwn(member) && <Badge>{texts.conversation.you}</Badge>}{' '}
                {member.IsAdmin && <Badge>{words.admin}</Badge>}
              </span>
            </span>
            {group.OwnerIsAdmin && !isOwn(member) && (
              <MemberActions member={member} changeMember={changeMember} />
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
    </>
  )
}

const MemberActions = ({ member, changeMember }: { member: Member; changeMember: ChangeMember }) => (
  <span class="line">
    <ActionButton
      class="bare"
      onAction={() => changeMember(member.IsAdmin ? 'demote' : 'promote', member.JID)}
    >
      {member.IsAdmin ? words.demote : words.promote}
    </ActionButton>
    <ActionButton class="bare danger" onAction={() => changeMember('remove', member.JID)}>
      {words.remove}
    </ActionButton>
  </span>
)
