// A device that the account or the network has ended: why, and the one button that mends it.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import type { Connection, Instance } from '@msgnet/shared/contract/responses/instance-responses.ts'
import { useState } from 'preact/hooks'
import { formatPhone } from '../format-id.ts'
import { formatMoment } from '../formats.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { Banner } from '../ui/notices.tsx'
import { useLoad } from '../ui/use-load.ts'
import type { DeviceProps } from './instance-controls.ts'
import { LinkCard } from './link-card.tsx'

const words = texts.instance

/** Reasons that only a new linking ends. */
const LOSSES = ['logged_out', 'replaced', 'banned', 'bad_session'] as const
type Loss = (typeof LOSSES)[number]

/** Undefined while it has a device, or is linking one. */
export const findLoss = ({ instance, pairing, loggedIn }: Connection): Loss | undefined =>
  loggedIn || pairing || instance.status !== 'disconnected'
    ? undefined
    : LOSSES.find((reason) => reason === instance.lastDisconnectReason)

/** The list of instances knows it after the device is gone. */
export function useLastNumber(admin: AdminClient | undefined, { id, owner }: Instance): string {
  const { value = '' } = useLoad(async () => {
    if (owner || !admin) return owner
    const { instances } = await admin.instances.search({ search: id, limit: 1 })
    return instances[0]?.number ?? ''
  }, [admin, id, owner])
  return owner || value
}

interface Props extends DeviceProps {
  reason: Loss
  /** Of the account that was linked; empty if that is not known. */
  number: string
}

export function LostDevice({ reason, number, ...props }: Props) {
  const [isChoosing, setChoosing] = useState(false)
  const { controls, state, connection } = props
  const since = connection.instance.lastDisconnect
  if (isChoosing) return <LinkCard {...props} />
  return (
    <>
      <Banner
        kind="bad"
        title={[texts.reasons[reason], since && texts.instances.since(formatMoment(since))]
          .filter(Boolean)
          .join(' ')}
      >
        {number ? words.lostHintOf(formatPhone(number)) : words.lostHint}
      </Banner>
      <div class="line">
        <ActionButton class="main" onAction={async () => state.set(await controls.connect({}))}>
          {words.linkAgain}
        </ActionButton>
        <Button class="bare" onClick={() => setChoosing(true)}>
          {words.otherWays}
        </Button>
      </div>
    </>
  )
}
