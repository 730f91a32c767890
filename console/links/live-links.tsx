// The one-time links of an instance that can still be used, each with its end.

import type { LinkRecord } from '@msgnet/shared/contract/responses/link-responses.ts'
import { formatMoment } from '../formats.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'

const words = texts.links

interface Props {
  links: LinkRecord[]
  onDelete: (link: LinkRecord) => Promise<void>
  /** Only where a new one can be made from here. */
  onCreate?: () => void
}

export function LiveLinks({ links, onDelete, onCreate }: Props) {
  if (links.length === 0) return null
  return (
    <section class="stack tight" aria-label={words.active}>
      <h3>{words.active}</h3>
      <ul class="stack tight plain">
        {links.map((link) => (
          <li class="line even" key={link.id}>
            <span class="small">
              {words.languages[link.language]} · {words.ends(formatMoment(link.expiresAt))}
            </span>
            <ActionButton class="small-button" onAction={() => onDelete(link)}>
              {words.delete}
            </ActionButton>
          </li>
        ))}
      </ul>
      <p class="small quiet">{words.activeHint}</p>
      {onCreate && (
        <div>
          <Button onClick={onCreate}>{words.another}</Button>
        </div>
      )}
    </section>
  )
}
