// Emoji to choose from, by group; the arrow keys move among them. Loaded when it is opened.

import { useEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../texts.ts'

const words = texts.conversation.emoji
const COLUMNS = 8

const GROUPS = [
  '😀😃😄😁😆😅😂🤣🙂🙃😉😊😇🥰😍🤩😘😋😛😜🤪🤗🤭🤫🤔🤐😐😏😒🙄😬😌😔😴😷🤒🤢🥵🥶🤯🥳😎🤓🧐😕🙁😮😳🥺😨😢😭😱😤😡😈💩👻👽🤖',
  '👋🖐️✋👌✌️🤞🤟🤘🤙👈👉👆👇👍👎✊👊👏🙌👐🤝🙏✍️💪👀👶👧👦👩👨👵👴👮👷🤷🤦🙋🙇💁🏃🚶💃🕺👪',
  '❤️🧡💛💚💙💜🖤🤍💔💕💞💖💯✅☑️❌❗❓⚠️⛔💤💬💭🔔🎵➕➖➡️⬅️⬆️⬇️🔁🔴🟡🟢🔵',
  '🐶🐱🐭🐰🦊🐻🐼🐨🦁🐮🐷🐸🐔🐧🐦🦆🐝🦋🐢🐟🐬🌹🌷🌻🌸💐🌳🌴🌵🍀🍂☀️🌤️☁️🌧️⛈️❄️🌙⭐🌈🔥💧🌊',
  '🍎🍐🍊🍋🍌🍉🍇🍓🍒🍑🥭🍍🥥🥝🍅🥑🥕🌽🌶️🥔🍞🥐🧀🥚🍳🥓🍗🍔🍟🍕🌭🌮🥗🍝🍣🍚🍰🎂🍫🍪🍦☕🍵🍺🍷🥂',
  '🎉🎁🎈🏆⚽🏀🎮🎸🎬📷📱💻🖨️📞✉️📦🏷️💰💳🧾📅📌📎✂️✏️📖🔍🔑🔒💡🔧🧰🏠🏢🏥🏫🏖️⛪🚗🚕🚌🚲🏍️🚚🚂✈️🚀⏰⌛🗓️',
].map((group) => [...new Intl.Segmenter().segment(group)].map(({ segment }) => segment))

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
  const emoji = GROUPS[group] ?? []
  useEffect(() => place.current?.querySelectorAll('button')[at]?.focus(), [group, at])
  return (
    <div class="stack tight">
      <div class="emoji">
        {GROUPS.map(([first], index) => (
          <button
            key={first}
            type="button"
            class="button bare"
            aria-label={words.groups[index]}
            title={words.groups[index]}
            aria-pressed={group === index}
            onClick={() => {
              setGroup(index)
              setAt(0)
            }}
          >
            {first}
          </button>
        ))}
      </div>
      <fieldset
        class="emoji"
        ref={place}
        onKeyDown={(event) => {
          const next = at + (STEPS[event.key] ?? Number.NaN)
          if (!emoji[next]) return
          event.preventDefault()
          setAt(next)
        }}
      >
        <legend class="unseen">{words.groups[group]}</legend>
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
