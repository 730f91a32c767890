// Reads the answers of people who tapped a button, a row of a list, or a card, which the network has in several forms.

import { truncateText } from '@msgnet/shared/truncation.ts'
import type { proto } from 'baileys'
import type { MenuAnswer } from '../../driver.ts'
import { getText, parseParameters } from './menu-content.ts'

const MAX_WORDS_BYTES = 1024
/** Of what somebody filled into a form. */
const MAX_FORM_BYTES = 65_536

interface Tap extends MenuAnswer {
  /** Further fields of the record's `content`. */
  details: Record<string, unknown>
}

type Text = string | null | undefined

const readers: Record<string, (content: proto.IMessage) => Tap | undefined> = {
  buttonsResponseMessage: ({ buttonsResponseMessage: tap }) =>
    tap ? createTap(tap.selectedButtonId, tap.selectedDisplayText) : undefined,
  listResponseMessage: ({ listResponseMessage: tap }) =>
    tap
      ? createTap(tap.singleSelectReply?.selectedRowId, tap.title, {
          ...(tap.title && { title: limit(tap.title) }),
          ...(tap.description && { description: limit(tap.description) }),
        })
      : undefined,
  templateButtonReplyMessage: ({ templateButtonReplyMessage: tap }) =>
    tap
      ? createTap(tap.selectedId, tap.selectedDisplayText, {
          ...(typeof tap.selectedCarouselCardIndex === 'number' && { card: tap.selectedCarouselCardIndex }),
        })
      : undefined,
  interactiveResponseMessage: ({ interactiveResponseMessage: tap }) => (tap ? readFlowTap(tap) : undefined),
} satisfies Partial<Record<keyof proto.IMessage, (content: proto.IMessage) => unknown>>

/** Undefined for a message that answers no menu. */
export const readTap = (content: proto.IMessage, messageType: string): Tap | undefined =>
  Object.hasOwn(readers, messageType) ? readers[messageType]?.(content) : undefined

function readFlowTap({ body, nativeFlowResponseMessage }: proto.Message.IInteractiveResponseMessage): Tap {
  const { name, paramsJson } = nativeFlowResponseMessage ?? {}
  const parameters = parseParameters(paramsJson)
  const text = body?.text || getText(parameters, 'display_text') || getText(parameters, 'title')
  const form = paramsJson && !getText(parameters, 'id') ? truncateText(paramsJson, MAX_FORM_BYTES) : ''
  return createTap(getText(parameters, 'id'), text, {
    ...(name && { name: limit(name) }),
    ...(form && { paramsJSON: form }),
  })
}

function createTap(id: Text, text: Text, details: Record<string, unknown> = {}): Tap {
  const [selectedID, selectedDisplayText] = [limit(id ?? ''), limit(text ?? '')]
  return {
    id: selectedID,
    text: selectedDisplayText,
    details: { selectedID, selectedDisplayText, ...details },
  }
}

const limit = (text: string): string => truncateText(text, MAX_WORDS_BYTES)
