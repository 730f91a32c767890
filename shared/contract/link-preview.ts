// The preview of a link in a text: which link has one, and how long its words may be.

import * as z from 'zod'

/** In characters. */
export const previewLimits = { title: 300, description: 1000, link: 2048 }

/** As the network's clients end it: without the signs that follow it in a sentence. */
const LINK = /https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]*_~]/i

/** The link of which phones show a preview: the first one. */
export function findFirstLink(text: string): string | undefined {
  const [link] = LINK.exec(text) ?? []
  return link !== undefined && link.length <= previewLimits.link && URL.canParse(link) ? link : undefined
}

/** As the edge gives it to a session. */
export const LinkPreview = z.object({
  /** The link, as it stands in the text. */
  matchedText: z.string(),
  title: z.string(),
  description: z.string(),
  /** The picture waits at the edge. */
  hasPicture: z.boolean(),
})
export type LinkPreview = z.infer<typeof LinkPreview>
