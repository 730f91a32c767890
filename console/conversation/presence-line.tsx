// What the head of an open chat says of its people, who types or is online, and the switch that asks the network for it.

import { formatMoment } from '../formats.ts'
import { texts } from '../texts.ts'
import { ActionButton, type ActionState } from '../ui/action-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { useNow } from '../ui/use-load.ts'
import type { OpenChat } from './open-chat.ts'
import type { ChatPresence, PersonPresence } from './use-presence.ts'

const words = texts.conversation.presence

interface LineProps {
  chat: OpenChat
  people: PersonPresence[]
  findName: (id: string) => string
  /** Shown while nothing is known. */
  otherwise: string
}

export function PresenceLine({ chat, people, findName, otherwise }: LineProps) {
  const now = useNow()
  const active = people.filter(({ activity, activityEnd }) => activity && activityEnd > now)
  const [first] = active
  const text = first
    ? describeActivity(chat, active.length, first, findName)
    : describePerson(chat.isGroup ? undefined : people[0], now)
  if (!text && !otherwise) return null
  return <p class={`presence-line small cut ${first ? 'active' : 'quiet'}`}>{text || otherwise}</p>
}

function describeActivity(
  { isGroup }: OpenChat,
  count: number,
  { id, activity }: PersonPresence,
  findName: LineProps['findName'],
): string {
  const kind = activity === 'recording' ? 'recording' : 'typing'
  if (!isGroup) return words[kind]
  return count > 1 ? words.several(count) : words.byMember[kind](findName(id))
}

function describePerson(person: PersonPresence | undefined, now: number): string {
  if (person?.isOnline) return words.online
  return person?.lastSeen ? words.lastSeen(formatMoment(person.lastSeen, now)) : ''
}

interface SwitchProps {
  chat: OpenChat
  name: string
  presence: ChatPresence
  action: ActionState
}

export function PresenceSwitch({ chat, name, presence, action }: SwitchProps) {
  const isOn = presence.isOn(chat.id)
  const label = chat.isGroup ? words.showGroup : words.show(name)
  return (
    <button
      type="button"
      class="chip presence-switch"
      aria-pressed={isOn}
      aria-label={label}
      aria-busy={action.busy}
      disabled={action.busy}
      title={`${label}. ${words.showHint}`}
      onClick={() => action.run(() => presence.switchChat(chat.id, !isOn))}
    >
      <Icon name="typing" size={16} />
      <span class="cut">{label}</span>
    </button>
  )
}

/** What hinders the switch: a refusal, or that the account itself is not online. */
export function PresenceNotes({ chat, presence, action }: Omit<SwitchProps, 'name'>) {
  const isHidden = presence.isOn(chat.id) && !presence.isAccountShown
  if (!isHidden && action.error === undefined) return null
  return (
    <div class="presence-notes">
      {action.error !== undefined && <ErrorNote error={action.error} onClose={action.clearError} />}
      {isHidden && (
        <div class="line even">
          <p class="small">{words.accountOffline}</p>
          <ActionButton class="small-button" onAction={presence.showAccount}>
            {words.showAccount}
          </ActionButton>
        </div>
      )}
    </div>
  )
}
