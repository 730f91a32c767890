// A text as the network's own clients show it: bold, italic, struck out, as code, and with its addresses as links.

import type { ComponentChildren } from 'preact'

/** Around words only, as the clients have it: `2*3*4` and `snake_case_name` are left as they are. */
const buildPair = (mark: string) =>
  String.raw`(?<![\p{L}\p{N}${mark}])${mark}(?=[^\s${mark}])([^${mark}\n]*[^\s${mark}])${mark}(?![\p{L}\p{N}${mark}])`
const SPANS = new RegExp(
  [
    '```([^]+?)```',
    '`([^`\\n]+)`',
    String.raw`(https?://[^\s<>"]*[^\s<>"'.,;:!?)\]*_~])`,
    ...['\\*', '_', '~'].map(buildPair),
  ].join('|'),
  'gu',
)

export function FormattedText({ text }: { text: string }) {
  const parts: ComponentChildren[] = []
  let end = 0
  for (const found of text.matchAll(SPANS)) {
    parts.push(text.slice(end, found.index), formatSpan(found))
    end = found.index + found[0].length
  }
  parts.push(text.slice(end))
  return <>{parts}</>
}

function formatSpan([whole, block, code, url, bold, italic, struck]: RegExpMatchArray): ComponentChildren {
  if (block || code) return <code>{block ?? code}</code>
  if (url)
    return (
      <a href={url} target="_blank" rel="noreferrer">
        {url}
      </a>
    )
  if (bold) return <strong>{FormattedText({ text: bold })}</strong>
  if (italic) return <em>{FormattedText({ text: italic })}</em>
  if (struck) return <s>{FormattedText({ text: struck })}</s>
  return whole
}
