// Pictures of buttons and of cards in a menu: fetched before anything is sent, each once, and given to the host one after another.

import { limits } from '@msgnet/shared/contract/limits.ts'
import { imageTypes } from '@msgnet/shared/contract/media-requests.ts'
import { readPicture } from '@msgnet/shared/contract/menu-choices.ts'
import type { SendMenu } from '@msgnet/shared/contract/menu-requests.ts'
import { formatFieldPath } from '@msgnet/shared/contract/validation-message.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import type { Context } from 'hono'
import type * as z from 'zod'
import type { EdgeEnv } from '../request/request-context.ts'
import { concatBytes } from '../runtime/bytes.ts'
import type { InstanceRow } from '../store/instance-queries.ts'
import { FileContent } from './file-content.ts'
import { findImageType } from './image-type.ts'
import { type MediaInputRules, readMediaInput, validateMediaInput } from './media-input.ts'
import { retainBytes, takeLongTexts } from './request-body.ts'
import { withUpload } from './request-transfers.ts'

type Menu = z.output<typeof SendMenu>
type MenuInput = Omit<ActionInput<'message.sendMenu'>, 'messageid' | 'asText'>

const TYPES = imageTypes.image ?? []
/** No further picture is fetched after so long. */
const MAX_FETCH_MS = 15 * SECOND

const buildRules = (c: Context<EdgeEnv>): Omit<MediaInputRules, 'field'> => ({
  invalid: 'invalid_body',
  tooLarge: 'body_too_large',
  instance: c.var.instance.id,
  maxBytes: limits.maxMenuPictureBytes,
  longTexts: takeLongTexts(c),
})

/** Throws the Fault of a URL that is not allowed or of text that is not base64. */
export async function validateMenuPictures(c: Context<EdgeEnv>, menu: Menu): Promise<void> {
  const rules = buildRules(c)
  for (const [input, field] of listPictures(menu)) await validateMediaInput(c.env, input, { ...rules, field })
}

/** Calls `send` with the places of the pictures in the menu, and the name of the transfer that has them. */
export async function withMenuPictures<Result>(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  menu: Menu,
  send: (menu: MenuInput) => Promise<Result>,
): Promise<Result> {
  const listed = listPictures(menu)
  const placed = { ...menu, ...placePictures(menu, [...listed.keys()]) }
  // A recalled act has its pictures already.
  if (listed.size === 0 || c.var.claim?.isRecall) return send({ ...placed, parcel: '', pictures: [] })
  const { content, pictures } = await readPictures(c, listed)
  return withUpload(c, instance, content, (parcel) => send({ ...placed, parcel, pictures }))
}

/** The field of each different picture, by its input. */
function listPictures({ type, choices, imageButton }: Menu): Map<string, string> {
  const fields = new Map<string, string>()
  if (imageButton !== undefined) fields.set(imageButton, 'imageButton')
  if (type !== 'carousel') return fields
  for (const [index, line] of choices.entries()) {
    const picture = readPicture(line)
    if (picture !== undefined && !fields.has(picture))
      fields.set(picture, formatFieldPath(['choices', index]))
  }
  return fields
}

function placePictures({ type, choices, imageButton }: Menu, pictures: string[]) {
  const placeLine = (line: string) => {
    const picture = readPicture(line)
    return picture === undefined ? line : `{${pictures.indexOf(picture)}}`
  }
  return {
    choices: type === 'carousel' ? choices.map(placeLine) : choices,
    imageButton: imageButton === undefined ? undefined : String(pictures.indexOf(imageButton)),
  }
}

/** One after another, so that a menu takes no more than one of the instance's fetches. */
async function readPictures(c: Context<EdgeEnv>, listed: Map<string, string>) {
  const rules = buildRules(c)
  const heldBytes = retainBytes(c, c.var.actor)
  const until = Date.now() + MAX_FETCH_MS
  const files: Uint8Array[] = []
  const pictures: MenuInput['pictures'] = []
  let maxBytes = rules.maxBytes
  for (const [input, field] of listed) {
    if (Date.now() > until)
      throw new Fault('media_unavailable', `${field} was not fetched: the pictures before it took too long.`)
    const file = await readMediaInput(c.env, input, { ...rules, field, maxBytes }, heldBytes)
    const mimetype = findImageType(file) ?? ''
    if (!TYPES.includes(mimetype))
      throw new Fault('unsupported_media_type', `${field} must be ${TYPES.join(', ')}.`)
    maxBytes -= file.length
    files.push(file)
    pictures.push({ mimetype, bytes: file.length })
  }
  return { content: new FileContent(concatBytes(files)), pictures }
}
