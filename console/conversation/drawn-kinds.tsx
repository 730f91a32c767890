// What is not text in messages: a file, a place, contacts, a poll, a menu. Loaded with the first of them.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { formatNumber } from '../formats.ts'
import { texts } from '../texts.ts'
import { CopyButton } from '../ui/elements.tsx'
import { BubbleKind } from './bubble-kind.tsx'
import { MessageMedia } from './media-view.tsx'
import { PlaceMap } from './place-map.tsx'

const words = texts.conversation

export function DrawnContent({ client, message }: { client: InstanceClient; message: MessageRecord }) {
  if (message.type === 'media') return <MessageMedia client={client} message={message} />
  if (message.type === 'location') return <Place message={message} />
  if (message.type === 'contact') return <Contacts message={message} />
  return message.type === 'poll' ? <Poll message={message} /> : <Menu message={message} />
}

function Place({ message: { content } }: { message: MessageRecord }) {
  const { name, address } = content as Record<string, string>
  const [latitude, longitude] = [Number(content.latitude), Number(content.longitude)]
  return (
    <>
      <BubbleKind icon="place" label={words.otherKinds.location} />
      {name && <p class="strong">{name}</p>}
      {address && <p>{address}</p>}
      <PlaceMap {...{ latitude, longitude }} />
      <a
        href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`}
        target="_blank"
        rel="noreferrer"
        class="count"
      >
        {latitude}, {longitude}
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
    <BubbleKind icon="user" label={words.otherKinds.contact} />
    {((content.contacts ?? []) as Card[]).map((card, index) => (
      <div key={index}>
        <p class="strong">{card.name}</p>
        {listNumbers(card).map((number) => (
          <p key={number} class="line still even count">
            {number} <CopyButton text={number} />
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
      <BubbleKind icon="more" label={words.otherKinds.menu} />
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
      <BubbleKind icon="poll" label={words.otherKinds.poll} />
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
