// Apart from send-cloud-message.ts, because it is pure: buttons and lists of the Cloud API as menus of the contract.

import { joinChoice, listRowChoices } from '../http/dialect-menus.ts'
import { type Fields, isObject, listObjects, readObject } from '../http/read-fields.ts'
import { CloudRefusal } from './cloud-errors.ts'

/** `openPicture`: returns the input of the contract for the picture above buttons. */
export async function toMenu(
  { type, header, body, footer, action }: Fields,
  openPicture: (image: Fields) => Promise<unknown>,
): Promise<Fields> {
  const { text } = readObject(body)
  const { type: kind = 'text', text: title, image } = readObject(header)
  if (kind !== 'text' && (kind !== 'image' || type !== 'button' || !isObject(image)))
    throw new CloudRefusal(
      131051,
      'Unsupported message type',
      `interactive.header.type ${String(kind)} is not supported here.`,
    )
  const { text: footerText } = readObject(footer)
  const words = [title, text].filter((one) => typeof one === 'string' && one !== '').join('\n')
  const menu = { text: words, ...(typeof footerText === 'string' && { footerText }) }
  const { buttons, button, sections, parameters } = readObject(action)
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

const listButtons = (buttons: unknown): string[] =>
  listObjects(buttons).map(({ reply }) => {
    const { id, title } = readObject(reply)
    return joinChoice(title, id)
  })
