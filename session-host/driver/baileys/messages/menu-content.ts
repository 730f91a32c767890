// Reads menus (buttons, lists, templates, native flows, carousels, products), which the network has in several forms.

import { truncateText } from '@msgnet/shared/truncation.ts'
import type { proto } from 'baileys'

/** Lists have ten rows, carousels ten cards of three buttons. */
const MAX_CHOICES = 100
const MAX_WORDS_BYTES = 1024
/** Of a button's parameters; longer ones are not parsed. */
const MAX_PARAMETERS = 65_536

/** What a menu offers: an answer with `id`, or something that the phone does by itself and does not tell. */
export interface Choice {
  id: string
  text: string
  description?: string
  /** Of a list: the title above it. */
  section?: string
  /** Of a carousel: the place of its card, from 0. */
  card?: number
  url?: string
  copy?: string
  call?: string
}

export interface Menu {
  title: string
  body: string
  footer: string
  /** The button that opens a list. */
  button: string
  /** The texts of a carousel's cards. */
  cards: string[]
  choices: Choice[]
  pictures: Picture[]
}

/** Above the text of a menu or of a card; its file is not fetched. */
export interface Picture {
  /** Of a carousel: the place of its card, from 0. */
  card?: number
  mimetype: string
  /** 0 where its sender does not say. */
  fileLength: number
  width: number
  height: number
}

type Part<Name extends keyof proto.IMessage> = NonNullable<proto.IMessage[Name]>
type Text = string | null | undefined

const empty: Menu = { title: '', body: '', footer: '', button: '', cards: [], choices: [], pictures: [] }

const readers: Record<string, (content: proto.IMessage) => Menu | null | undefined> = {
  buttonsMessage: ({ buttonsMessage }) => buttonsMessage && readButtons(buttonsMessage),
  listMessage: ({ listMessage }) => listMessage && readList(listMessage),
  templateMessage: ({ templateMessage }) => templateMessage && readTemplate(templateMessage),
  highlyStructuredMessage: ({ highlyStructuredMessage: part }) =>
    part?.hydratedHsm && readTemplate(part.hydratedHsm),
  interactiveMessage: ({ interactiveMessage }) => interactiveMessage && readInteractive(interactiveMessage),
  productMessage: ({ productMessage }) => productMessage && readProduct(productMessage),
} satisfies Partial<Record<keyof proto.IMessage, (content: proto.IMessage) => unknown>>

/** Undefined for a message that is no menu. Its texts are as its sender wrote them: `describeMenu` bounds them. */
export const readMenu = (content: proto.IMessage, messageType: string): Menu | undefined =>
  Object.hasOwn(readers, messageType) ? (readers[messageType]?.(content) ?? undefined) : undefined

/** The words of a menu, without its choices. */
export const getMenuText = ({ title, body, footer }: Menu): string =>
  [title, body, footer].filter(Boolean).join('\n')

/** A menu as it stands in the record's `content`. */
export function describeMenu(menu: Menu): Record<string, unknown> {
  const { title, body, footer, button, cards, choices, pictures } = menu
  return {
    text: body,
    ...(title && { title }),
    ...(footer && { footer }),
    ...(button && { button: limit(button) }),
    ...(cards.length > 0 && { cards: cards.slice(0, MAX_CHOICES).map(limit) }),
    choices: choices.slice(0, MAX_CHOICES).map(limitWords),
    ...(pictures.length > 0 && { pictures: pictures.slice(0, MAX_CHOICES).map(limitWords) }),
  }
}

/** Whether some of it is left out. */
export const isCutMenu = ({ choices, cards }: Menu): boolean =>
  choices.length > MAX_CHOICES ||
  cards.length > MAX_CHOICES ||
  choices.some((choice) => choice.text !== limit(choice.text) || choice.id !== limit(choice.id))

const limit = (text: string): string => truncateText(text, MAX_WORDS_BYTES)

const limitWords = <Described extends Choice | Picture>(described: Described): Described =>
  Object.fromEntries(
    Object.entries(described).map(([name, value]) => [
      name,
      typeof value === 'string' ? limit(value) : value,
    ]),
  ) as unknown as Described

function listPictures(
  image: proto.Message.IImageMessage | null | undefined,
  place: Pick<Picture, 'card'> = {},
): Picture[] {
  if (!image) return []
  const { mimetype, fileLength, width, height } = image
  const size = { fileLength: Number(fileLength ?? 0), width: width ?? 0, height: height ?? 0 }
  return [{ ...place, mimetype: mimetype ?? '', ...size }]
}

function readButtons(part: Part<'buttonsMessage'>): Menu {
  const { text, contentText, footerText, buttons, imageMessage } = part
  const choices = (buttons ?? []).map(({ buttonId, buttonText, nativeFlowInfo }) =>
    nativeFlowInfo
      ? readFlowButton(nativeFlowInfo.name, nativeFlowInfo.paramsJson)
      : [createChoice(buttonId, buttonText?.displayText)],
  )
  return {
    ...empty,
    title: text ?? '',
    body: contentText ?? '',
    footer: footerText ?? '',
    choices: choices.flat(),
    pictures: listPictures(imageMessage),
  }
}

function readList({ title, description, footerText, buttonText, sections }: Part<'listMessage'>): Menu {
  const choices = (sections ?? []).flatMap((section) =>
    (section.rows ?? []).map((row) => ({
      ...createChoice(row.rowId, row.title),
      ...(row.description && { description: row.description }),
      ...(section.title && { section: section.title }),
    })),
  )
  const texts = { title: title ?? '', body: description ?? '', footer: footerText ?? '' }
  return { ...empty, ...texts, button: buttonText ?? '', choices }
}

function readTemplate(part: Part<'templateMessage'>): Menu | undefined {
  if (part.interactiveMessageTemplate) return readInteractive(part.interactiveMessageTemplate)
  const template = part.hydratedTemplate ?? part.hydratedFourRowTemplate
  if (!template) return undefined
  const choices = (template.hydratedButtons ?? []).map(({ quickReplyButton, urlButton, callButton }) => {
    if (urlButton) return { ...createChoice('', urlButton.displayText), url: urlButton.url ?? '' }
    if (callButton) return { ...createChoice('', callButton.displayText), call: callButton.phoneNumber ?? '' }
    return createChoice(quickReplyButton?.id, quickReplyButton?.displayText)
  })
  const { hydratedTitleText: title, hydratedContentText: body, hydratedFooterText: footer } = template
  const texts = { title: title ?? '', body: body ?? '', footer: footer ?? '' }
  return { ...empty, ...texts, choices, pictures: listPictures(template.imageMessage) }
}

function readInteractive(part: Part<'interactiveMessage'>): Menu {
  const { header, body, footer, nativeFlowMessage, carouselMessage } = part
  const cards = carouselMessage?.cards ?? []
  const own = (nativeFlowMessage?.buttons ?? []).flatMap(readButton)
  const onCards = cards.flatMap((card, place) =>
    (card.nativeFlowMessage?.buttons ?? []).flatMap(readButton).map((choice) => ({ ...choice, card: place })),
  )
  return {
    title: [header?.title, header?.subtitle].filter(Boolean).join('\n'),
    body: body?.text ?? '',
    footer: footer?.text ?? '',
    button: findListButton(nativeFlowMessage),
    cards: cards.map((card) =>
      [card.header?.title, card.body?.text, card.footer?.text].filter(Boolean).join('\n'),
    ),
    choices: [...own, ...onCards],
    pictures: [
      ...listPictures(header?.imageMessage),
      ...cards.flatMap((card, place) => listPictures(card.header?.imageMessage, { card: place })),
    ],
  }
}

/** A product is a menu with one choice, its page. */
function readProduct({ product, body, footer }: Part<'productMessage'>): Menu {
  const { title, description, currencyCode, priceAmount1000, url, productId } = product ?? {}
  const price = Number(priceAmount1000 ?? 0) / 1000
  const words = [description, price && `${currencyCode ?? ''} ${price.toFixed(2)}`.trim(), body]
  return {
    ...empty,
    title: title ?? '',
    body: words.filter(Boolean).join('\n'),
    footer: footer ?? '',
    choices: product ? [{ ...createChoice(productId, title), ...(url && { url }) }] : [],
  }
}

type FlowButton = proto.Message.InteractiveMessage.NativeFlowMessage.INativeFlowButton

const readButton = ({ name, buttonParamsJson }: FlowButton): Choice[] =>
  readFlowButton(name, buttonParamsJson)

/** Where the words of a button are, by its kind: forms have `flow_cta`. */
const BUTTON_WORDS = ['display_text', 'flow_cta', 'title']

/** One choice, or the rows of a list. */
function readFlowButton(name: Text, json: Text): Choice[] {
  const parameters = parseParameters(json)
  const words = BUTTON_WORDS.map((word) => getText(parameters, word)).find((text) => text)
  const choice = { ...createChoice(getText(parameters, 'id'), words), ...(!words && name && { name }) }
  switch (name) {
    case 'single_select':
      return listItems(parameters.sections).flatMap((section) =>
        listItems(section.rows).map((row) => readRow(row, section)),
      )
    case 'cta_url':
      return [{ ...choice, url: getText(parameters, 'url') }]
    case 'cta_copy':
      return [{ ...choice, copy: getText(parameters, 'copy_code') }]
    case 'cta_call':
      return [{ ...choice, call: getText(parameters, 'phone_number') }]
    default:
      return [choice]
  }
}

function readRow(row: Parameters, section: Parameters): Choice {
  const [description, above] = [getText(row, 'description'), getText(section, 'title')]
  return {
    ...createChoice(getText(row, 'id'), getText(row, 'title')),
    ...(description && { description }),
    ...(above && { section: above }),
  }
}

function findListButton(
  flow: proto.Message.InteractiveMessage.INativeFlowMessage | null | undefined,
): string {
  const list = flow?.buttons?.find(({ name }) => name === 'single_select')
  return list ? getText(parseParameters(list.buttonParamsJson), 'title') : ''
}

const createChoice = (id: Text, text: Text): Choice => ({ id: id ?? '', text: text ?? '' })

export type Parameters = Record<string, unknown>

export const isObject = (value: unknown): value is Parameters =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Without parameters if the sender wrote no JSON object. */
export function parseParameters(json: Text): Parameters {
  if (!json || json.length > MAX_PARAMETERS) return {}
  try {
    const parameters: unknown = JSON.parse(json)
    return isObject(parameters) ? parameters : {}
  } catch {
    return {}
  }
}

export function getText(parameters: Parameters, name: string): string {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

const listItems = (value: unknown): Parameters[] => (Array.isArray(value) ? value.filter(isObject) : [])
