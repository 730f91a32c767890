// Menus from phones of companies, and the answers of phones that tap the menus of others.
import { randomBytes } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { formatAddress } from '../network/address.ts'
import type { Chat } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Message } from '../store/message-table.ts'
import type { MenuForm, Option } from './describe-menu.ts'
import { sendFromPhone } from './send-from-phone.ts'

export type MenuInput = {
  form: MenuForm | 'product'
  text: string
  title: string
  footer: string
  choices: { id: string; text: string; description?: string | undefined }[]
}

const createSecret = () => ({ messageContextInfo: { messageSecret: randomBytes(32) } })

/** `imageMessage`: above the text of buttons, templates and native flows, and on each card of a carousel. */
export function buildMenuMessage(
  input: MenuInput,
  imageMessage: proto.Message.IImageMessage | null = null,
): proto.IMessage {
  const { form, text, title, footer, choices } = input
  switch (form) {
    case 'buttons': {
      const buttons = choices.map((choice) => ({
        buttonId: choice.id,
        buttonText: { displayText: choice.text },
        type: proto.Message.ButtonsMessage.Button.Type.RESPONSE,
      }))
      return {
        buttonsMessage: { contentText: text, footerText: footer, text: title, buttons, imageMessage },
        ...createSecret(),
      }
    }
    case 'list': {
      const rows = choices.map(({ id, text, description }) => ({
        rowId: id,
        title: text,
        ...(description && { description }),
      }))
      const texts = { title, description: text, footerText: footer, buttonText: 'Options' }
      const listType = proto.Message.ListMessage.ListType.SINGLE_SELECT
      return { listMessage: { ...texts, listType, sections: [{ title: 'All', rows }] }, ...createSecret() }
    }
    case 'template':
      return {
        templateMessage: { hydratedTemplate: { ...buildTemplate(input), imageMessage } },
        ...createSecret(),
      }
    case 'product': {
      const product = { productId: choices[0]?.id ?? '', title, description: text }
      return {
        productMessage: { product: { ...product, currencyCode: 'BRL', priceAmount1000: 12_500 }, footer },
        ...createSecret(),
      }
    }
    default:
      return { interactiveMessage: buildInteractive(input, imageMessage), ...createSecret() }
  }
}

const buildTemplate = ({ text, title, footer, choices }: MenuInput) => ({
  hydratedTitleText: title,
  hydratedContentText: text,
  hydratedFooterText: footer,
  hydratedButtons: choices.map(({ id, text: displayText }, index) => ({
    index,
    quickReplyButton: { id, displayText },
  })),
})

function buildInteractive(
  { form, text, title, footer, choices }: MenuInput,
  imageMessage: proto.Message.IImageMessage | null,
): proto.Message.IInteractiveMessage {
  const toButton = ({ id, text: display_text }: MenuInput['choices'][number]) => ({
    name: 'quick_reply',
    buttonParamsJson: JSON.stringify({ display_text, id }),
  })
  const frame = { header: { title }, body: { text }, footer: { text: footer } }
  const picture = { hasMediaAttachment: Boolean(imageMessage), imageMessage }
  if (form !== 'carousel')
    return {
      ...frame,
      header: { title, ...picture },
      nativeFlowMessage: { buttons: choices.map(toButton) },
    }
  const cards = choices.map((choice) => ({
    header: picture,
    body: { text: choice.description ?? choice.text },
    nativeFlowMessage: { buttons: [toButton(choice)] },
  }))
  return { ...frame, carouselMessage: { cards, messageVersion: 1 } }
}

type Tapped = { message: Message; author: Account; chat: Chat }

/** The answer quotes the menu, and has the form that belongs to it. */
export function sendTap(
  network: Network,
  by: Account,
  { message, author, chat }: Tapped,
  form: MenuForm,
  option: Option,
): Promise<string> {
  const contextInfo = {
    stanzaId: message.id,
    participant: formatAddress(author, message.form),
    quotedMessage: { conversation: '' },
  }
  const answer = { ...buildTap(form, option, contextInfo), ...createSecret() }
  return sendFromPhone(network, { from: by, to: chat, form: message.form, message: answer, type: 'text' })
}

function buildTap(
  form: MenuForm,
  { id, text, card }: Option,
  contextInfo: proto.IContextInfo,
): proto.IMessage {
  switch (form) {
    case 'buttons': {
      const type = proto.Message.ButtonsResponseMessage.Type.DISPLAY_TEXT
      return {
        buttonsResponseMessage: { selectedButtonId: id, selectedDisplayText: text, type, contextInfo },
      }
    }
    case 'list': {
      const listType = proto.Message.ListResponseMessage.ListType.SINGLE_SELECT
      return {
        listResponseMessage: { title: text, singleSelectReply: { selectedRowId: id }, listType, contextInfo },
      }
    }
    case 'interactive': {
      const paramsJson = JSON.stringify({ id })
      const nativeFlowResponseMessage = { name: 'menu_options', paramsJson, version: 3 }
      return { interactiveResponseMessage: { body: { text }, nativeFlowResponseMessage, contextInfo } }
    }
    default:
      return {
        templateButtonReplyMessage: {
          selectedId: id,
          selectedDisplayText: text,
          ...(card !== undefined && { selectedCarouselCardIndex: card }),
          contextInfo,
        },
      }
  }
}
