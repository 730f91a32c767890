// The invitation to a group: its link and QR code, a new one in its place; and the decision about those who ask to join.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { GroupRecord } from '@msgnet/shared/contract/responses/group-responses.ts'
import { useState } from 'preact/hooks'
import { formatId } from '../format-id.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Field, SecretText } from '../ui/elements.tsx'
import { QrPicture } from '../ui/qr-picture.tsx'

const words = texts.groups

interface Props {
  client: InstanceClient
  group: GroupRecord
  onChanged: () => unknown
}

export function GroupInvitation({ client, group }: Props) {
  const [link, setLink] = useState('')
  const [renewing, setRenewing] = useState(false)
  const groupjid = group.JID
  const loadLink = async () => {
    setLink((await client.showGroup({ groupjid, getInviteLink: true })).invite_link)
  }
  const renewLink = async () => {
    setLink((await client.resetInviteCode({ groupjid })).InviteLink)
    setRenewing(false)
  }
  return (
    <section class="stack tight" aria-label={words.invitation}>
      <h3>{words.invitation}</h3>
      <p class="small quiet">{words.invitationHint}</p>
      {link && <SecretText text={link} />}
      {link && <QrPicture text={link} alt={words.invitationQr} />}
      <div class="line">
        {!link && <ActionButton onAction={loadLink}>{words.showInvitation}</ActionButton>}
        <Button onClick={() => setRenewing(true)}>{words.renewInvitation}</Button>
      </div>
      {renewing && <RenewDialog onRenew={renewLink} onClose={() => setRenewing(false)} />}
    </section>
  )
}

interface RenewProps {
  onRenew: () => Promise<void>
  onClose: () => void
}

const RenewDialog = ({ onRenew, onClose }: RenewProps) => (
  <ConfirmDialog
    title={words.renewQuestion}
    onClose={onClose}
    onConfirm={onRenew}
    confirm={words.renewConfirm}
    danger
  >
    <p>{words.renewHint}</p>
  </ConfirmDialog>
)

/** For a group in which admins decide who joins. */
export function JoinRequests({ client, group, onChanged }: Props) {
  const [number, setNumber] = useState('')
  const [isDecided, setDecided] = useState(false)
  const decide = async (action: 'approve' | 'reject') => {
    setDecided(false)
    const { groupUpdated } = await client.changeParticipants({
      groupjid: group.JID,
      action,
      participants: [number],
    })
    const refused = groupUpdated.find((one) => one.Error)
    if (refused) throw new Error(words.refused(formatId(refused.JID), refused.Error))
    setNumber('')
    setDecided(true)
    await onChanged()
  }
  return (
    <section class="stack tight" aria-label={words.requests}>
      <h3>{words.requests}</h3>
      <p class="small quiet">{words.requestsHint}</p>
      <Field
        label={texts.people.contacts.number}
        hint={texts.people.contacts.numberHint}
        value={number}
        onInput={setNumber}
        inputMode="tel"
      />
      <div class="line">
        <ActionButton onAction={() => decide('approve')} disabled={!number.trim()}>
          {words.approve}
        </ActionButton>
        <ActionButton class="danger" onAction={() => decide('reject')} disabled={!number.trim()}>
          {words.reject}
        </ActionButton>
        {isDecided && <span role="status">{words.decided}</span>}
      </div>
    </section>
  )
}
