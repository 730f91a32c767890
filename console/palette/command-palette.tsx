// What Ctrl and K open: one field that finds pages, instances and chats; and the list of all keys.

import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { Session } from '../console-session.ts'
import { hasWords } from '../fold-text.ts'
import { formatId, formatPhone } from '../format-id.ts'
import { toHash, useRoute } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { useLoad } from '../ui/use-load.ts'
import { listWaiting } from '../unread/read-unread.ts'
import { useUnread } from '../unread/unread-context.tsx'
import { PAGE_KEYS } from './use-shortcuts.ts'

const words = texts.palette
const MAX_OF_A_KIND = 6

interface Place {
  label: string
  hint: string
  icon: IconName
  href: string
}

interface Props {
  session: Session
  pages: readonly { label: string; href: string; icon: IconName }[]
  onKeys: () => void
  onClose: () => void
}

export function CommandPalette({ session, pages, onKeys, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const [row, setRow] = useState(0)
  const known = useKnownPlaces(pages, typed)
  const found = useFoundPlaces(session, typed)
  const places = orderPlaces(known, found, typed)
  const chosen = Math.min(row, places.length - 1)
  const open = (href: string | undefined) => {
    if (href === undefined) return
    location.hash = href
    onClose()
  }
  const moveRow = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step || places.length === 0) return
    event.preventDefault()
    setRow((chosen + step + places.length) % places.length)
  }
  return (
    <Dialog title={words.title} wide onClose={onClose} onSubmit={() => open(places[chosen]?.href)}>
      <input
        type="text"
        role="combobox"
        aria-label={words.title}
        aria-expanded={places.length > 0}
        aria-controls="palette-places"
        aria-activedescendant={places.length > 0 ? `palette-${chosen}` : undefined}
        autocomplete="off"
        spellcheck={false}
        autofocus
        placeholder={words.hint}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          setRow(0)
        }}
        onKeyDown={moveRow}
      />
      <div class="palette" id="palette-places" role="listbox" aria-label={words.places} tabIndex={-1}>
        {places.map((place, index) => (
          <PlaceRow
            key={place.href}
            {...{ place, index }}
            isChosen={index === chosen}
            onOpen={() => open(place.href)}
          />
        ))}
      </div>
      {found && places.length === 0 && <p class="quiet">{words.none}</p>}
      <div class="line even">
        <span class="small quiet">{words.moves}</span>
        <Button class="bare" onClick={onKeys}>
          {words.keys}
        </Button>
      </div>
    </Dialog>
  )
}

/** Each once; what has the words in its own name comes first, and stands alone until all are found. */
function orderPlaces(known: readonly Place[], found: readonly Place[] | undefined, typed: string): Place[] {
  const isNamed = ({ label }: Place) => hasWords(label, typed.trim())
  const places = [...new Map([...known, ...(found ?? [])].map((place) => [place.href, place])).values()]
  const named = places.filter(isNamed)
  return found ? [...named, ...places.filter((place) => !isNamed(place))] : named
}

interface RowProps {
  place: Place
  index: number
  isChosen: boolean
  onOpen: () => void
}

// The field has the focus and the keys; a row is pressed only.
const PlaceRow = ({ place: { label, hint, icon }, index, isChosen, onOpen }: RowProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys.
  <div
    role="option"
    id={`palette-${index}`}
    class="palette-row"
    aria-selected={isChosen}
    tabIndex={-1}
    ref={(element) => {
      if (isChosen) element?.scrollIntoView({ block: 'nearest' })
    }}
    onClick={onOpen}
  >
    <Icon name={icon} size={16} />
    <span class="cut">{label}</span>
    <span class="small quiet cut">{hint}</span>
  </div>
)

/** Pages, those of the open instance among them, and the chats that wait. */
function useKnownPlaces(pages: Props['pages'], typed: string): Place[] {
  const { value } = useUnread()
  const [page, id] = useRoute()
  const tabs = Object.entries(texts.instance.tabs).map(
    ([tab, label]): Place => ({
      label,
      hint: texts.nav.instance,
      icon: 'instances',
      href: toHash('instances', id ?? '', tab),
    }),
  )
  const waiting = (value ? listWaiting(value) : []).map(
    ({ instance, chat }): Place => ({
      label: chat.wa_name || formatId(chat.id),
      hint: instance.name,
      icon: 'chat',
      href: toHash('instances', instance.id, 'chats', chat.id),
    }),
  )
  const own = pages.map(({ label, icon, href }): Place => ({ label, hint: '', icon, href }))
  if (!typed.trim()) return [...own, ...waiting.slice(0, MAX_OF_A_KIND)]
  return [...own, ...(page === 'instances' && id ? tabs : []), ...waiting].filter(({ label, hint }) =>
    hasWords(`${label} ${hint}`, typed.trim()),
  )
}

/** Instances, and chats of the open one. Undefined until they are found. */
function useFoundPlaces({ admin, only, canOperate, getClient }: Session, typed: string) {
  const search = typed.trim()
  const [page, open] = useRoute()
  const id = only ?? (page === 'instances' ? open : undefined)
  const { value } = useLoad(async () => {
    if (!search) return []
    const [listed, found] = await Promise.all([
      admin?.instances.search({ search, limit: MAX_OF_A_KIND }),
      id && canOperate ? getClient(id)?.findChats({ search, limit: MAX_OF_A_KIND }) : undefined,
    ])
    return [
      ...(listed?.instances ?? []).map(
        ({ id, name, number }): Place => ({
          label: name,
          hint: number && formatPhone(number),
          icon: 'instances',
          href: toHash('instances', id),
        }),
      ),
      ...(found?.chats ?? []).map(
        (chat): Place => ({
          label: chat.wa_name || formatId(chat.id),
          hint: chat.phone,
          icon: 'chat',
          href: toHash('instances', id ?? '', 'chats', chat.id),
        }),
      ),
    ]
  }, [search, id])
  return value
}

export function KeyList({ onClose }: { onClose: () => void }) {
  const keys: [keys: string[], effect: string][] = [
    [['Ctrl', 'K'], words.title],
    [['/'], words.focusSearch],
    ...Object.entries(PAGE_KEYS).map(([key, page]): [string[], string] => [
      ['G', key.toUpperCase()],
      texts.nav[page],
    ]),
    [['Alt', '↓'], words.nextChat],
    [['Alt', '↑'], words.previousChat],
    [['Enter'], texts.conversation.send],
    [['Shift', 'Enter'], words.newLine],
    [['Esc'], texts.close],
    [['?'], words.keys],
  ]
  return (
    <Dialog
      title={words.keys}
      onClose={onClose}
      renderActions={() => <Button onClick={onClose}>{texts.close}</Button>}
    >
      <dl class="facts keys">
        {keys.map(([parts, effect]) => (
          <Fragment key={effect}>
            <dt>
              {parts.map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dt>
            <dd>{effect}</dd>
          </Fragment>
        ))}
      </dl>
    </Dialog>
  )
}
