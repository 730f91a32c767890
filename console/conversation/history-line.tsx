// One quiet line above the chats while the past of a newly linked account arrives. Apart from chat-list.tsx, because it asks for the status on its own.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { useEffect } from 'preact/hooks'
import { texts } from '../texts.ts'
import { useLoad } from '../ui/use-load.ts'

const words = texts.conversation
const INTERVAL_MS = 4000

interface Props {
  client: InstanceClient
  /** Chats have come, or older messages of theirs. */
  onProgress: () => void
}

export function HistoryLine({ client, onProgress }: Props) {
  const first = useLoad(() => client.status(), [client])
  const isExpected = ['waiting', 'syncing'].includes(first.value?.history.state ?? '')
  if (!isExpected) return null
  return <ProgressLine client={client} onProgress={onProgress} onEnd={first.reload} />
}

function ProgressLine({ client, onProgress, onEnd }: Props & { onEnd: () => void }) {
  const { value } = useLoad(() => client.status(), [client], INTERVAL_MS)
  const { state = 'waiting', progress = 0 } = value?.history ?? {}
  const isOver = value !== undefined && state !== 'waiting' && state !== 'syncing'
  useEffect(() => {
    if (value) onProgress()
    if (isOver) onEnd()
  }, [progress, isOver])
  return (
    <div class="history-line small quiet">
      <span>{state === 'waiting' ? words.historyWaiting : words.historyComes}</span>
      {state === 'syncing' && <progress max={100} value={progress} aria-label={words.historyComes} />}
    </div>
  )
}
