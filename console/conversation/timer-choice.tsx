// The choice after how long new messages of the open chat disappear.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { useEffect, useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { useAction } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import type { AnyEnvelope } from '../use-events.ts'
import type { OpenChat } from './open-chat.ts'

const words = texts.conversation.timer
const SECONDS = [0, 86_400, 604_800, 7_776_000] as const

interface Props {
  client: InstanceClient
  chat: OpenChat
  /** The latest events of the stream, oldest first. */
  latest: AnyEnvelope[]
}

export function TimerChoice({ client, chat: { id: number }, latest }: Props) {
  const action = useAction()
  const [seconds, setSeconds] = useState(0)
  const changed = latest.findLast(isOfTimer)?.seq
  useEffect(() => {
    let isShown = true
    const show = async () => {
      const { chats } = await client.findChats({ wa_chatid: number, limit: 1 })
      if (isShown) setSeconds(chats[0]?.ephemeral ?? 0)
    }
    void action.run(show)
    return () => {
      isShown = false
    }
  }, [client, number, changed])
  const choose = async (chosen: (typeof SECONDS)[number]) => {
    await client.setChatTimer({ number, seconds: chosen })
    setSeconds(chosen)
  }
  return (
    <div class="timer-choice line" title={words.hint}>
      <Icon name="clock" size={16} />
      <select
        aria-label={words.label}
        value={seconds}
        disabled={action.busy}
        onChange={({ currentTarget }) => {
          const chosen = SECONDS[currentTarget.selectedIndex]
          if (chosen !== undefined) void action.run(() => choose(chosen))
        }}
      >
        {SECONDS.map((one) => (
          <option key={one} value={one}>
            {words.after[one]}
          </option>
        ))}
      </select>
      {action.error !== undefined && <ErrorNote error={action.error} onClose={action.clearError} />}
    </div>
  )
}

const isOfTimer = (envelope: AnyEnvelope): boolean =>
  envelope.EventType === 'messages_update' && envelope.type === 'ChatTimer'
