// What a message says, by its kind: text, file, place, contacts, poll, menu.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { formatMentions, formatNumber } from '../formats.ts'
import { describeKind } from '../message-kind.ts'
import { texts } from '../texts.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { FormattedText } from './formatted-text.tsx'
import { MessageMedia } from './media-view.tsx'

const words = texts.conversation

interface Props {
  client: InstanceClient
  message: MessageRecord
}

/** With the names of the people whom it mentions. */
export function MessageContent({ client, message: stored }: Props) {
  const message = { ...stored, text: formatMentions(stored) }
  if (message.status === 'Deleted')
    return (
      <p class="quiet">
        <em>{words.deleted}</em>
      </p>
    )
  if (message.type === 'location') return <Place message={message} />
  if (message.type === 'contact') return <Contacts message={message} />
  if (message.type === 'poll') return <Poll message={message} />
  if (message.type === 'menu') return <Menu message={message} />
  const kind = describeKind(message)
  return (
    <>
      {message.buttonOrListid && <Kind icon="reply" label={words.otherKinds.choice} />}
      {message.type === 'media' && <MessageMedia client={client} message={message} />}
      {kind && <Kind icon="info" label={kind} />}
      {message.text && (
        <p class="bubble-text">
          <FormattedText text={message.text} />
        </p>
      )}
    </>
  )
}

const Kind = ({ icon, label }: { icon: IconName; label: string | undefined }) => (
  <p class="bubble-kind small quiet">
    <Icon name={icon} size={14} /> {label}
  </p>
)

function Place({ message: { content } }: { message: MessageRecord }) {
  const { latitude, longitude, name, address } = content as Record<string, string | number>
  return (
    <>
      <Kind icon="place" label={words.otherKinds.location} />
      {name && <p class="strong">{name}</p>}
      {address && <p>{address}</p>}
      <a
        href={`https://www.openstreetmap.org/?mlat=${Number(latitude)}&mlon=${Number(longitude)}#map=16/${Number(latitude)}/${Number(longitude)}`}
        target="_blank"
        rel="noreferrer"
        class="count"
      >
        {Number(latitude)}, {Number(longitude)}
      </a>
    </>
  )
}

interface Card {
  name: string
  vcard: string
}

const listNumbers = ({ vcard }: Card): string[] =>
  [...vcard.matchAll(/^(?:\w+\.)?TEL[^:\n]*:(.+)$/gim)].map(([, number = '']) => number.trim())

const Contacts = ({ message: { content } }: { message: MessageRecord }) => (
  <>
    <Kind icon="user" label={words.otherKinds.contact} />
    {((content.contacts ?? []) as Card[]).map((card, index) => (
      <div key={index}>
        <p class="strong">{card.name}</p>
        {listNumbers(card).map((number) => (
          <p key={number} class="count">
            {number}
          </p>
        ))}
      </div>
    ))}
  </>
)

interface Choice {
  id: string
  text: string
  description?: string
  url?: string
  copy?: string
  call?: string
}

/** Its choices are words here: only the phone's owner taps them. */
function Menu({ message: { content, text } }: { message: MessageRecord }) {
  const choices = (content.choices ?? []) as Choice[]
  const cards = (content.cards ?? []) as string[]
  return (
    <>
      <Kind icon="more" label={words.otherKinds.menu} />
      {text && <p class="bubble-text">{text}</p>}
      {cards.map((card, index) => (
        <p key={index} class="bubble-text">
          {card}
        </p>
      ))}
      <ul class="poll">
        {choices.map(({ id, text, description, ...opens }, index) => (
          <li key={index} title={id}>
            {text}
            {description && <span class="small quiet"> {description}</span>}
            {(opens.url ?? opens.copy ?? opens.call) && (
              <span class="small quiet"> {opens.url ?? opens.copy ?? opens.call}</span>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

/** With the votes that have arrived; the newest of each voter is stored. */
function Poll({ message: { content, text } }: { message: MessageRecord }) {
  const choices = (content.choices ?? []) as string[]
  const votes = (content.votes ?? []) as { choices: string[] }[]
  const counts = choices.map((choice) => votes.filter((vote) => vote.choices.includes(choice)).length)
  const most = Math.max(1, ...counts)
  return (
    <>
      <Kind icon="poll" label={words.otherKinds.poll} />
      <p class="strong bubble-text">{text}</p>
      <ul class="poll">
        {choices.map((choice, index) => (
          <li key={choice}>
            <span class="line still even">
              <span>{choice}</span>
              <span class="count quiet">{formatNumber(counts[index] ?? 0)}</span>
            </span>
            <meter min={0} max={most} value={counts[index] ?? 0} aria-label={choice} />
          </li>
        ))}
      </ul>
    </>
  )
}
