// Reads menus (buttons, lists, templates, native flows, carousels) as a phone shows them: texts, and what can be tapped.

import type { proto } from '../codec/protobuf.ts'

export const MENU_FORMS = ['buttons', 'list', 'template', 'interactive', 'carousel'] as const
export type MenuForm = (typeof MENU_FORMS)[number]
export type Option = { id: string; text: string; card?: number; opens?: string }
export type ShownMenu = { type: 'menu'; menu: MenuForm; text: string; options: Option[]; cards?: CardShown[] }
type CardShown = { text: string; picture: boolean }
/** `card`: of a carousel the place of its card, from 0. */
export type MenuPicture = { card?: number; file: proto.Message.IImageMessage }

type Parameters = {
  id?: string
  display_text?: string
  url?: string
  copy_code?: string
  phone_number?: string
  title?: string
  sections?: { rows?: { id?: string; title?: string }[] }[]
}

/** Undefined for other messages, and for menus that offer nothing. */
export function describeMenu(message: proto.IMessage): ShownMenu | undefined {
  const { buttonsMessage, listMessage, templateMessage, interactiveMessage } = message
  const template = templateMessage?.hydratedTemplate
  const shown =
    (buttonsMessage && describeButtons(buttonsMessage)) ??
    (listMessage && describeList(listMessage)) ??
    (template && describeTemplate(template)) ??
    (interactiveMessage && describeInteractive(interactiveMessage)) ??
    undefined
  return shown && shown.options.length > 0 ? shown : undefined
}

/** Those of native flows, which companions send. */
export function listMenuPictures({ interactiveMessage }: proto.IMessage): MenuPicture[] {
  const above = interactiveMessage?.header?.imageMessage
  const cards = interactiveMessage?.carouselMessage?.cards ?? []
  const onCards = cards.flatMap(({ header }, card) =>
    header?.imageMessage ? [{ card, file: header.imageMessage }] : [],
  )
  return [...(above ? [{ file: above }] : []), ...onCards]
}

const joinTexts = (...texts: (string | null | undefined)[]) => texts.filter(Boolean).join('\n')

function describeButtons({
  text,
  contentText,
  footerText,
  buttons,
}: proto.Message.IButtonsMessage): ShownMenu {
  const options = (buttons ?? []).map((button) => ({
    id: button.buttonId ?? '',
    text: button.buttonText?.displayText ?? '',
  }))
  return { type: 'menu', menu: 'buttons', text: joinTexts(text, contentText, footerText), options }
}

function describeList({ title, description, footerText, sections }: proto.Message.IListMessage): ShownMenu {
  const rows = (sections ?? []).flatMap((section) => section.rows ?? [])
  const options = rows.map((row) => ({ id: row.rowId ?? '', text: row.title ?? '' }))
  return { type: 'menu', menu: 'list', text: joinTexts(title, description, footerText), options }
}

function describeTemplate(template: proto.Message.TemplateMessage.IHydratedFourRowTemplate): ShownMenu {
  const { hydratedTitleText, hydratedContentText, hydratedFooterText, hydratedButtons } = template
  const options = (hydratedButtons ?? []).map(({ quickReplyButton, urlButton }) => ({
    id: quickReplyButton?.id ?? '',
    text: (quickReplyButton ?? urlButton)?.displayText ?? '',
    ...(urlButton?.url && { opens: urlButton.url }),
  }))
  const text = joinTexts(hydratedTitleText, hydratedContentText, hydratedFooterText)
  return { type: 'menu', menu: 'template', text, options }
}

function describeInteractive(part: proto.Message.IInteractiveMessage): ShownMenu {
  const { header, body, footer, nativeFlowMessage, carouselMessage } = part
  const text = joinTexts(header?.title, body?.text, footer?.text)
  const cards = carouselMessage?.cards ?? []
  if (cards.length === 0)
    return { type: 'menu', menu: 'interactive', text, options: listFlowOptions(nativeFlowMessage) }
  const options = cards.flatMap((card, place) =>
    listFlowOptions(card.nativeFlowMessage).map((option) => ({ ...option, card: place })),
  )
  const shown = cards.map((card) => ({
    text: joinTexts(card.header?.title, card.body?.text, card.footer?.text),
    picture: Boolean(card.header?.imageMessage),
  }))
  return { type: 'menu', menu: 'carousel', text, options, cards: shown }
}

function listFlowOptions(
  flow: proto.Message.InteractiveMessage.INativeFlowMessage | null | undefined,
): Option[] {
  return (flow?.buttons ?? []).flatMap(({ name, buttonParamsJson }) => {
    const parameters: Parameters = JSON.parse(buttonParamsJson ?? '{}')
    if (name === 'single_select')
      return (parameters.sections ?? [])
        .flatMap(({ rows }) => rows ?? [])
        .map((row) => ({ id: row.id ?? '', text: row.title ?? '' }))
    const opens = parameters.url ?? parameters.copy_code ?? parameters.phone_number
    return [{ id: parameters.id ?? '', text: parameters.display_text ?? '', ...(opens && { opens }) }]
  })
}
