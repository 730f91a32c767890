// Sends polls, and menus with their pictures, which the edge transfers as one file.

import { Readable } from 'node:stream'
import { parseMenuCards } from '@msgnet/shared/contract/menu-choices.ts'
import { createDoneOutcome, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import type { Connection, ContentToSend, StoredPicture } from '../driver/driver.ts'
import { uploadFile } from '../driver/media-network.ts'
import { JoinedFiles } from '../media/joined-files.ts'
import type { ActionContext, ActionTable } from './action.ts'
import { toUploadRefusal } from './media-actions.ts'
import { fileMissing } from './outgoing-files.ts'
import { sendNewMessage } from './send-message.ts'

type MenuRequest = ActionInput<'message.sendMenu'>
type MenuOrPoll = Extract<ContentToSend, { kind: 'menu' | 'poll' }>

export const menuActions: Pick<ActionTable<'message'>, 'message.sendMenu'> = {
  'message.sendMenu': (context, request) =>
    sendNewMessage(
      context,
      request,
      (messageContext) => ({ ...buildMenu(request), ...messageContext }),
      request.pictures.length === 0
        ? undefined
        : (network, content) => addPictures(context, request, network, content),
    ),
}

function buildMenu(request: MenuRequest): MenuOrPoll {
  const { type, text, choices, selectableCount: selectable, imageButton, asText } = request
  if (type === 'poll') return { kind: 'poll', text, choices, selectable }
  const parsed = parseMenuCards(type, choices)
  // The request was read with the same rules.
  if (typeof parsed === 'string') throw new Error(`choices ${parsed}`)
  const cards = parsed.map((card) => (imageButton === undefined ? card : { ...card, picture: imageButton }))
  const { footerText: footer = '', listButton = '' } = request
  return { kind: 'menu', menu: { form: type, text, footer, listButton, cards, pictures: [], asText } }
}

async function addPictures(
  context: ActionContext,
  request: MenuRequest,
  network: Connection,
  content: MenuOrPoll,
): Promise<Outcome<ContentToSend>> {
  if (content.kind === 'poll') return createDoneOutcome(content)
  const uploaded = await uploadPictures(context, request, network)
  if (uploaded.kind !== 'done') return uploaded
  return createDoneOutcome({ ...content, menu: { ...content.menu, pictures: uploaded.result } })
}

async function uploadPictures(
  { timed, transfers, deadline }: ActionContext,
  { parcel, pictures }: MenuRequest,
  network: Connection,
): Promise<Outcome<StoredPicture[]>> {
  const body = timed?.openFile() ?? (await transfers.streamFile(parcel, deadline))
  if (!body) return fileMissing
  const files = new JoinedFiles(body)
  const uploaded: StoredPicture[] = []
  try {
    for (const { mimetype, bytes } of pictures) {
      const picture = Readable.from(files.readNext(bytes))
      const stored = await uploadFile(network.media, 'image', picture, deadline)
      if (stored.kind !== 'done') return toUploadRefusal(stored)
      uploaded.push({ mimetype, stored: stored.value })
    }
    return createDoneOutcome(uploaded)
  } finally {
    await files.close()
  }
}
