// The choice after how long new messages of the open chat disappear.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { texts } from '../texts.ts'
import { useAction } from '../ui/action-button.tsx'
import { answerAct } from '../ui/answer-line.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { useLoad } from '../ui/use-load.ts'
import type { AnyEnvelope } from '../use-events.ts'
import type { OpenChat } from './open-chat.ts'

const words = texts.conversation.timer
const SECONDS = [0, 86_400, 604_800, 7_776_000] as const
type Seconds = (typeof SECONDS)[number]

interface Props {
  client: InstanceClient
  chat: OpenChat
  /** The latest events of the stream, oldest first. */
  latest: AnyEnvelope[]
}

export function TimerChoice({ client, chat: { id: number }, latest }: Props) {
  const action = useAction()
  const changed = latest.findLast(isOfTimer)?.seq
  const { value, error, set } = useLoad(
    async () => (await client.findChats({ wa_chatid: number, limit: 1 })).chats[0]?.ephemeral ?? 0,
    [client, number, changed],
  )
  const choose = async (chosen: Seconds) => {
    await client.setChatTimer({ number, seconds: chosen })
    set(chosen)
  }
  const chooseAndAnswer = async (chosen: Seconds) => {
    await choose(chosen)
    const before = SECONDS.find((one) => one === value)
    if (before !== undefined) answerAct(`${words.label}: ${words.after[chosen]}`, () => choose(before))
  }
  const failure = action.error ?? error
  return (
    <div class="timer-choice line" title={words.hint}>
      <Icon name="clock" size={16} />
      <select
        aria-label={words.label}
        value={value}
        disabled={action.busy}
        onChange={({ currentTarget }) => {
          const chosen = SECONDS[currentTarget.selectedIndex]
          if (chosen !== undefined) void action.run(() => chooseAndAnswer(chosen))
        }}
      >
        {SECONDS.map((one) => (
          <option key={one} value={one}>
            {words.after[one]}
          </option>
        ))}
      </select>
      {failure !== undefined && <ErrorNote error={failure} />}
    </div>
  )
}

const isOfTimer = (envelope: AnyEnvelope): boolean =>
  envelope.EventType === 'messages_update' && envelope.type === 'ChatTimer'
