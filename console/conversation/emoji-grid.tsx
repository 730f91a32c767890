// Emoji to choose from, by group or by name; the arrow keys move among them. Loaded when it is opened.

import { useEffect, useRef, useState } from 'preact/hooks'
import { hasWords } from '../fold-text.ts'
import { texts } from '../texts.ts'
import { SearchField } from '../ui/filters.tsx'
import { GROUPS, listNames } from './emoji-groups.ts'

const words = texts.conversation.emoji
const COLUMNS = 8

const findEmoji = (search: string): string[] =>
  GROUPS.flatMap((group, index) => {
    const names = listNames(words.names[index] ?? '')
    return group.filter((_, at) => hasWords(names[at] ?? '', search))
  })

const STEPS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -COLUMNS,
  ArrowDown: COLUMNS,
}

export function EmojiGrid({ onChoose }: { onChoose: (emoji: string) => void }) {
  const [group, setGroup] = useState(0)
  const [at, setAt] = useState(0)
  const place = useRef<HTMLFieldSetElement>(null)
  const [search, setSearch] = useState('')
  const emoji = search.trim() ? findEmoji(search) : (GROUPS[group] ?? [])
  const focusOn = (next: number) => {
    setAt(next)
    place.current?.querySelectorAll('button')[next]?.focus()
  }
  useEffect(() => focusOn(0), [group])
  return (
    <div class="stack tight">
      <GroupButtons
        chosen={search ? -1 : group}
        onChoose={(index) => {
          setSearch('')
          setGroup(index)
          setAt(0)
        }}
      />
      <SearchField
        value={search}
        placeholder={words.search}
        label={words.search}
        onInput={(typed) => {
          setSearch(typed)
          setAt(0)
        }}
      />
      <fieldset
        class="emoji"
        ref={place}
        onKeyDown={(event) => {
          const next = at + (STEPS[event.key] ?? Number.NaN)
          if (!emoji[next]) return
          event.preventDefault()
          focusOn(next)
        }}
      >
        <legend class="unseen">{search || words.groups[group]}</legend>
        {emoji.map((each, index) => (
          <button
            key={each}
            type="button"
            class="button bare"
            tabIndex={index === at ? 0 : -1}
            onClick={() => onChoose(each)}
          >
            {each}
          </button>
        ))}
      </fieldset>
    </div>
  )
}

const GroupButtons = ({ chosen, onChoose }: { chosen: number; onChoose: (index: number) => void }) => (
  <div class="emoji">
    {GROUPS.map(([first], index) => (
      <button
        key={first}
        type="button"
        class="button bare"
        aria-label={words.groups[index]}
        title={words.groups[index]}
        aria-pressed={chosen === index}
        onClick={() => onChoose(index)}
      >
        {first}
      </button>
    ))}
  </div>
)
