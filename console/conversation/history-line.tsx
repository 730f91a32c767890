// One quiet line above the chats while the past of a newly linked account arrives. Apart from chat-list.tsx, because it asks for the chats again as it moves.

import type { HistoryProgress } from '@msgnet/shared/contract/history.ts'
import { useEffect } from 'preact/hooks'
import { texts } from '../texts.ts'

const words = texts.conversation

interface Props {
  history: HistoryProgress
  /** Chats have come, or older messages of theirs. */
  onProgress: () => void
}

export function HistoryLine({ history: { state, progress }, onProgress }: Props) {
  useEffect(onProgress, [state, progress])
  if (state !== 'waiting' && state !== 'syncing') return null
  return (
    <div class="history-line small quiet">
      <span>{state === 'waiting' ? words.historyWaiting : words.historyComes}</span>
      {state === 'syncing' && <progress max={100} value={progress} aria-label={words.historyComes} />}
    </div>
  )
}
