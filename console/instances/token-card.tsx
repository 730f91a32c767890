// The card that replaces the token of an instance: it says first what ends, and shows the new token once.

import type { AdminClient } from '@msgnet/client/admin-client.ts'
import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { RadioLine } from '../ui/elements.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'

const words = texts.instance
const HOUR = 3600

interface Props {
  admin: AdminClient
  id: string
}

export function TokenCard({ admin, id }: Props) {
  const [asking, setAsking] = useState(false)
  return (
    <section class="card stack">
      <h2>{words.token}</h2>
      <p class="small quiet">{words.tokenHint}</p>
      <div>
        <Button onClick={() => setAsking(true)}>{words.replaceToken}</Button>
      </div>
      {asking && <ReplaceTokenDialog admin={admin} id={id} onClose={() => setAsking(false)} />}
    </section>
  )
}

const overlaps = { 0: words.replaceAtOnce, [HOUR]: words.replaceHour, [24 * HOUR]: words.replaceDay }

function ReplaceTokenDialog({ admin, id, onClose }: Props & { onClose: () => void }) {
  const [overlap, setOverlap] = useState('0')
  const [token, setToken] = useState('')
  const replaceToken = async () => {
    setToken((await admin.instances.renewToken(id, { overlap: Number(overlap) })).token)
  }
  if (token)
    return (
      <SecretDialog
        title={words.newToken}
        hint={texts.instances.tokenOnce}
        secret={token}
        onClose={onClose}
      />
    )
  return (
    <ConfirmDialog
      title={words.replaceQuestion}
      onClose={onClose}
      onConfirm={replaceToken}
      confirm={words.replaceToken}
      danger
    >
      <p>{words.replaceHint}</p>
      <h3>{words.replaceWhen}</h3>
      <RadioLine
        legend={words.replaceWhen}
        name="overlap"
        options={Object.entries(overlaps).map(([value, label]) => ({ value, label }))}
        value={overlap}
        onChange={setOverlap}
      />
    </ConfirmDialog>
  )
}
