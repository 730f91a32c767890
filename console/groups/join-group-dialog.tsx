// The dialog that joins a group by its invitation: it shows the group first.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { GroupRecord } from '@msgnet/shared/contract/responses/group-responses.ts'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/elements.tsx'

const words = texts.groups

interface Props {
  client: InstanceClient
  onJoined: () => unknown
  onClose: () => void
}

export function JoinGroupDialog({ client, onJoined, onClose }: Props) {
  const [invitecode, setInvitecode] = useState('')
  const [group, setGroup] = useState<GroupRecord>()
  const [isRequested, setRequested] = useState(false)
  const continueJoining = async () => {
    if (!group) return setGroup(await client.showInvite({ invitecode }))
    const { needs_refresh } = await client.joinGroup({ invitecode })
    await onJoined()
    if (needs_refresh && group.IsJoinApprovalRequired) setRequested(true)
    else onClose()
  }
  return (
    <Dialog
      title={words.join}
      onClose={onClose}
      onSubmit={isRequested ? onClose : continueJoining}
      renderActions={(busy) => (
        <>
          <Button onClick={onClose}>{isRequested ? texts.close : texts.cancel}</Button>
          {!isRequested && (
            <Button class="main" type="submit" busy={busy} disabled={!invitecode.trim()}>
              {group ? words.joinConfirm : words.joinLook}
            </Button>
          )}
        </>
      )}
    >
      <Field
        label={words.joinLink}
        hint={words.joinHint}
        value={invitecode}
        onInput={(text) => {
          setInvitecode(text)
          setGroup(undefined)
        }}
        autofocus
      />
      {group && (
        <div class="note">
          <p class="strong">{group.Name}</p>
          {group.Topic && <p>{group.Topic}</p>}
          {group.ParticipantCount > 0 && <p class="small quiet">{words.members(group.ParticipantCount)}</p>}
        </div>
      )}
      {isRequested && (
        <p class="note good" role="status">
          {words.joinRequested}
        </p>
      )}
    </Dialog>
  )
}
