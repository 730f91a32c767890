// Texts, places, contacts, reactions, and what wraps or answers them in words.

import { MAX_LIST_ITEMS } from '@msgnet/shared/truncation.ts'
import type { proto } from 'baileys'
import { truncateId } from '../../../message-names.ts'
import { toHexColor } from '../colors.ts'
import {
  dropEmpty,
  type KindTable,
  limitWords,
  type ReadInner,
  type Reading,
  toFinite,
} from './kind-reading.ts'

function readExtendedText({ extendedTextMessage }: proto.IMessage): Reading {
  const { text, backgroundArgb, font, matchedText, title, description } = extendedTextMessage ?? {}
  const preview = matchedText
    ? dropEmpty({
        matchedText: limitWords(matchedText),
        title: limitWords(title),
        description: limitWords(description),
      })
    : {}
  const look = backgroundArgb ? { backgroundColor: toHexColor(backgroundArgb), font: font ?? 0 } : {}
  return { type: 'text', text: text ?? '', content: { ...(text && { text }), ...preview, ...look } }
}

function readPlace({ locationMessage, liveLocationMessage }: proto.IMessage): Reading {
  const { degreesLatitude, degreesLongitude } = locationMessage ?? liveLocationMessage ?? {}
  const { name, address, url } = locationMessage ?? {}
  return {
    type: 'location',
    text: (locationMessage ? locationMessage.name : liveLocationMessage?.caption) ?? '',
    content: {
      latitude: toFinite(degreesLatitude),
      longitude: toFinite(degreesLongitude),
      name: name ?? '',
      address: address ?? '',
      ...(url && { url: limitWords(url) }),
    },
  }
}

type Card = proto.Message.IContactMessage

const describeCards = (cards: Card[]) => ({
  contacts: cards.map(({ displayName, vcard }) => ({ name: displayName ?? '', vcard: vcard ?? '' })),
})

function readContacts({ contactsArrayMessage }: proto.IMessage): Reading {
  const contacts = contactsArrayMessage?.contacts ?? []
  return {
    type: 'contact',
    text: contactsArrayMessage?.displayName ?? '',
    content: describeCards(contacts.slice(0, MAX_LIST_ITEMS)),
    truncated: contacts.length > MAX_LIST_ITEMS,
  }
}

/** A message that answers the one that it names. */
function readComment({ commentMessage }: proto.IMessage, readInner: ReadInner): Reading | undefined {
  const comment = readInner(commentMessage?.message)
  const target = truncateId(commentMessage?.targetMessageKey?.id ?? '')
  return comment && { ...comment, quoted: target, content: { ...comment.content, target } }
}

export const textKinds = {
  conversation: ({ conversation }) => ({
    type: 'text',
    text: conversation ?? '',
    content: conversation ? { text: conversation } : {},
  }),
  extendedTextMessage: readExtendedText,
  locationMessage: readPlace,
  liveLocationMessage: readPlace,
  contactMessage: ({ contactMessage: card }) => ({
    type: 'contact',
    text: card?.displayName ?? '',
    content: describeCards(card ? [card] : []),
  }),
  contactsArrayMessage: readContacts,
  reactionMessage: ({ reactionMessage }) => ({
    type: 'reaction',
    text: reactionMessage?.text ?? '',
    reaction: truncateId(reactionMessage?.key?.id ?? ''),
  }),
  commentMessage: readComment,
} satisfies KindTable
