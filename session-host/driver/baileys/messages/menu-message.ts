// Builds buttons, lists and carousels as native flows, the form that the newest clients show when a linked device sends them.

import { formatMenuText, type MenuCard, type MenuChoice } from '@msgnet/shared/contract/menu-choices.ts'
import type { BinaryNode, proto } from 'baileys'
import type { MenuToSend, StoredPicture } from '../../driver.ts'
import { buildPicture } from './media-message.ts'

/** The words of a list's button where the caller gives none. */
const LIST_BUTTON = 'Menu'

type FlowButton = proto.Message.InteractiveMessage.NativeFlowMessage.INativeFlowButton

/** Its text has the choices with their numbers, for clients that show the text only. Not inside a view-once message: desktops drop its buttons. */
export function buildMenu(
  menu: MenuToSend,
  contextInfo: proto.IContextInfo,
): proto.Message.IInteractiveMessage {
  const { form, text, footer, cards, pictures } = menu
  const frame = {
    body: { text: formatMenuText(text, cards) },
    ...(footer && { footer: { text: footer } }),
    contextInfo,
  }
  const [first = { text: '', choices: [] }] = cards
  switch (form) {
    case 'button':
      return {
        ...frame,
        ...buildHeader(first, pictures),
        nativeFlowMessage: { buttons: first.choices.map(buildButton) },
      }
    case 'list':
      return { ...frame, nativeFlowMessage: { buttons: [buildList(menu.listButton, first.choices)] } }
    case 'carousel':
      return {
        ...frame,
        carouselMessage: {
          cards: cards.map((card) => ({
            ...buildHeader(card, pictures),
            body: { text: card.text },
            nativeFlowMessage: { buttons: card.choices.map(buildButton) },
          })),
          messageVersion: 1,
        },
      }
  }
}

/** Empty for a card without a picture. */
function buildHeader({ picture }: MenuCard, pictures: StoredPicture[]): proto.Message.IInteractiveMessage {
  const found = picture === undefined ? undefined : pictures[Number(picture)]
  return found ? { header: { hasMediaAttachment: true, imageMessage: buildPicture(found) } } : {}
}

function buildButton({ text: display_text, id, opens }: MenuChoice): FlowButton {
  switch (opens?.kind) {
    case 'url':
      return formatButton('cta_url', { display_text, url: opens.value, merchant_url: opens.value })
    case 'copy':
      return formatButton('cta_copy', { display_text, copy_code: opens.value })
    case 'call':
      return formatButton('cta_call', { display_text, phone_number: opens.value })
    default:
      return formatButton('quick_reply', { display_text, id })
  }
}

function buildList(title: string, choices: MenuChoice[]): FlowButton {
  const titles = [...new Set(choices.map(({ section = '' }) => section))]
  const sections = titles.map((section) => ({
    title: section,
    rows: choices
      .filter((choice) => (choice.section ?? '') === section)
      .map(({ id, text, description = '' }) => ({ id, title: text, description })),
  }))
  return formatButton('single_select', { title: title || LIST_BUTTON, sections })
}

const formatButton = (name: string, parameters: object): FlowButton => ({
  name,
  buttonParamsJson: JSON.stringify(parameters),
})

/** Without this mark phones show nothing of a native flow (https://github.com/tulir/whatsmeow/pull/1235). */
export const flowMark: BinaryNode = {
  tag: 'biz',
  attrs: {},
  content: [
    {
      tag: 'interactive',
      attrs: { type: 'native_flow', v: '1' },
      content: [{ tag: 'native_flow', attrs: { v: '9', name: 'mixed' } }],
    },
  ],
}
