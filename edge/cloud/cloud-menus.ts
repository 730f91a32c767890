// Apart from send-cloud-message.ts, because it is pure: buttons and lists of the Cloud API as menus of the contract.

import { joinChoice, listRowChoices } from '../http/dialect-menus.ts'
import { isObject, readObject } from '../http/read-fields.ts'
import { CloudRefusal } from './cloud-errors.ts'

type Fields = Record<string, unknown>

/** `openPicture`: returns the input of the contract for the picture above buttons. */
export async function toMenu(
  { type, header, body, footer, action }: Fields,
  openPicture: (image: Fields) => Promise<unknown>,
): Promise<Fields> {
  const { text } = (body ?? {}) as Fields
  const { type: kind = 'text', text: title, image } = (header ?? {}) as Fields
  if (kind !== 'text' && (kind !== 'image' || type !== 'button' || !isObject(image)))
    throw new CloudRefusal(
      131051,
      'Unsupported message type',
      `interactive.header.type ${String(kind)} is not supported here.`,
    )
  const { text: footerText } = (footer ?? {}) as Fields
  const words = [title, text].filter((one) => typeof one === 'string' && one !== '').join('\n')
  const menu = { text: words, ...(typeof footerText === 'string' && { footerText }) }
  // Some programs write it as JSON in a text.
  const { buttons = [], button, sections = [], parameters } = readAction(action)
  const picture = isObject(image) && { imageButton: await openPicture(image) }
  if (type === 'button') return { ...menu, ...picture, type: 'button', choices: listButtons(buttons) }
  if (type === 'cta_url') {
    const { display_text, url } = readObject(parameters)
    return { ...menu, type: 'button', choices: [joinChoice(display_text, url)] }
  }
  if (type === 'list')
    return { ...menu, type: 'list', choices: listRowChoices(sections, 'id'), listButton: button }
  throw new CloudRefusal(
    131051,
    'Unsupported message type',
    `interactive.type ${String(type)} is not supported.`,
  )
}

function readAction(action: unknown): Fields & { buttons?: Fields[]; sections?: Fields[] } {
  if (typeof action !== 'string') return (action ?? {}) as Fields
  try {
    return JSON.parse(action)
  } catch {
    throw new CloudRefusal(131009, 'Parameter value is not valid', 'interactive.action is not valid JSON.')
  }
}

const listButtons = (buttons: Fields[]): string[] =>
  buttons.map(({ reply }) => {
    const { id, title } = (reply ?? {}) as Fields
    return joinChoice(title, id)
  })
