// The preview of a text's first link: fetched from its page, or as the caller words it. What cannot be fetched is left out, and is no error.

import { limits, MIB } from '@msgnet/shared/contract/limits.ts'
import { findFirstLink, type LinkPreview, previewLimits } from '@msgnet/shared/contract/link-preview.ts'
import type { SendText } from '@msgnet/shared/contract/message-requests.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { withDeadline } from '@msgnet/shared/deadline.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import type * as z from 'zod'
import { formatHolder, HeldBytes } from '../limits/held-bytes.ts'
import { log } from '../observability/edge-log.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { type FetchRules, fetchFile } from './fetch-file.ts'
import { findImageType } from './image-type.ts'
import { type MediaInputRules, readMediaInput, readWholeFile, validateMediaInput } from './media-input.ts'
import { decodePage } from './page-text.ts'
import { type PageWords, readPageWords } from './page-words.ts'
import { retainBytes } from './request-body.ts'

type TextRequest = z.output<typeof SendText>

/** Of a page and its picture. */
const MAX_FETCH_MS = 5 * SECOND
const MAX_PAGE_BYTES = MIB
/** A server that names no type may send one too. */
const PAGE_TYPE = /^\s*($|text\/html\b|application\/xhtml\+xml\b)/i
/** Those that a session makes a small picture of. */
const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp']

export type FoundPreview = Omit<LinkPreview, 'hasPicture'> & { picture: Uint8Array<ArrayBuffer> | undefined }

const buildImageRules = (c: Context<EdgeEnv>): MediaInputRules => ({
  field: 'linkPreviewImage',
  invalid: 'invalid_body',
  tooLarge: 'body_too_large',
  instance: c.var.instance.id,
  maxBytes: limits.maxImageBytes,
})

const ownFields = ['linkPreviewTitle', 'linkPreviewDescription', 'linkPreviewImage'] as const

/** The first field of the caller's own preview. */
const findOwnField = (body: TextRequest) => ownFields.find((name) => body[name])

export const requestsPreview = (body: TextRequest): boolean =>
  body.linkPreview === true || findOwnField(body) !== undefined

/** Throws if the caller words the preview of a link that the text does not have. */
export function validatePreview(body: TextRequest): void {
  const field = findOwnField(body)
  if (field && findFirstLink(body.text) === undefined)
    throw new Fault('invalid_body', `${field} must be left out: text has no link.`)
}

/** Throws the Fault of a picture's URL that is not allowed, or of text that is not base64. */
export async function validatePreviewImage(c: Context<EdgeEnv>, { linkPreviewImage }: TextRequest) {
  if (linkPreviewImage) await validateMediaInput(c.env, linkPreviewImage, buildImageRules(c))
}

/** Undefined if the text is to be sent without one. Throws the fault of a picture that the caller names. */
export async function findPreview(c: Context<EdgeEnv>, body: TextRequest): Promise<FoundPreview | undefined> {
  const link = findFirstLink(body.text)
  if (link === undefined) return undefined
  const { linkPreviewTitle = '', linkPreviewDescription = '', linkPreviewImage } = body
  const own = linkPreviewImage ? await readOwnPicture(c, linkPreviewImage) : undefined
  const page = body.linkPreview ? await fetchPage(c, link, own === undefined) : undefined
  const title = linkPreviewTitle || page?.title || (findOwnField(body) ? new URL(link).hostname : '')
  if (!title) return undefined
  const description = linkPreviewDescription || page?.description || ''
  return { matchedText: link, title, description, picture: own ?? page?.picture }
}

async function readOwnPicture(c: Context<EdgeEnv>, image: string) {
  const rules = buildImageRules(c)
  const bytes = await readMediaInput(c.env, image, rules, retainBytes(c, c.var.actor))
  if (PICTURE_TYPES.includes(findImageType(bytes) ?? '')) return bytes
  throw new Fault('unsupported_media_type', `${rules.field} must be ${PICTURE_TYPES.join(', ')}.`)
}

interface Page extends Omit<PageWords, 'image'> {
  picture: Uint8Array<ArrayBuffer> | undefined
}

/** Its words are there even if its picture takes too long. Undefined if it says nothing of itself in time. */
async function fetchPage(c: Context<EdgeEnv>, link: string, withPicture: boolean): Promise<Page | undefined> {
  const abortController = new AbortController()
  let page: Page | undefined
  const readPage = async () => {
    const rules = { instance: c.var.instance.id, signal: abortController.signal }
    const read = await readWords(c, link, rules)
    if (!read?.words.title) return
    const { image, ...words } = cutWords(read.words)
    page = { ...words, picture: undefined }
    const url = withPicture && image ? URL.parse(image, read.url) : null
    if (url) page = { ...words, picture: await readPicture(c, url.href, rules) }
  }
  await withDeadline(readPage(), MAX_FETCH_MS, () => undefined).catch((error: unknown) => {
    // Its server, its address or our limits do not allow it.
    if (!(error instanceof Fault)) throw error
    log(c.env, 'debug', 'no link preview', { fault: error.fault })
  })
  abortController.abort()
  return page
}

type Rules = Pick<FetchRules, 'instance'> & { signal: AbortSignal }

const readWords = (c: Context<EdgeEnv>, link: string, rules: Rules) =>
  withHeldBytes(c, async (heldBytes) => {
    const pageRules = {
      ...rules,
      field: 'text',
      maxBytes: MAX_PAGE_BYTES,
      tooLarge: 'body_too_large',
    } as const
    const file = await fetchFile(c.env, link, pageRules)
    const { url, contentType } = file
    if (!PAGE_TYPE.test(contentType)) {
      file.closeInput()
      await file.content.cancelBody()
      return undefined
    }
    const html = decodePage(await readWholeFile(file, pageRules, heldBytes), contentType)
    return { url, words: readPageWords(html) }
  })

async function readPicture(c: Context<EdgeEnv>, url: string, rules: Rules) {
  const imageRules = { ...buildImageRules(c), ...rules }
  const heldBytes = retainBytes(c, c.var.actor)
  const bytes = await readWholeFile(await fetchFile(c.env, url, imageRules), imageRules, heldBytes)
  return PICTURE_TYPES.includes(findImageType(bytes) ?? '') ? bytes : undefined
}

/** Counts bytes that are not passed on. */
async function withHeldBytes<Result>(c: Context<EdgeEnv>, work: (heldBytes: HeldBytes) => Promise<Result>) {
  const heldBytes = new HeldBytes(c.env, formatHolder(c.var.actor))
  try {
    return await work(heldBytes)
  } finally {
    heldBytes.release()
  }
}

const cutWords = ({ title, description, image }: PageWords): PageWords => ({
  title: cut(title, previewLimits.title),
  description: cut(description, previewLimits.description),
  image,
})

const cut = (text: string, max: number): string => [...text].slice(0, max).join('')
