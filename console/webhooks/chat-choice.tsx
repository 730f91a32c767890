// Which chats a webhook is for: all of them, all people, all groups, or some by number or id.

import { useId, useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Checkbox, RadioLine } from '../ui/elements.tsx'

const words = texts.webhook.chats
const kinds = ['people', 'groups'] as const
const isKind = (chat: string): boolean => kinds.some((kind) => kind === chat)

interface Props {
  chats: readonly string[]
  isForSome: boolean
  setChats: (chats: string[]) => void
  setForSome: (isForSome: boolean) => void
}

export function ChatChoice({ chats, isForSome, setChats, setForSome }: Props) {
  const name = useId()
  return (
    <fieldset>
      <legend>{words.legend}</legend>
      <RadioLine
        legend={words.legend}
        name={name}
        options={[
          { value: 'all', label: words.all },
          { value: 'some', label: words.some },
        ]}
        value={isForSome ? 'some' : 'all'}
        onChange={(value) => setForSome(value === 'some')}
      />
      {isForSome && <SomeChats {...{ chats, setChats }} />}
    </fieldset>
  )
}

function SomeChats({ chats, setChats }: Pick<Props, 'chats' | 'setChats'>) {
  const id = useId()
  // As it is typed, with the lines that are not complete yet.
  const [listed, setListed] = useState(() => chats.filter((chat) => !isKind(chat)).join('\n'))
  const chosenKinds = chats.filter(isKind)
  const changeChats = (nextKinds: readonly string[], lines: string) =>
    setChats([...nextKinds, ...lines.split(/[\n,;]/).flatMap((line) => line.trim() || [])])
  return (
    <div class="stack tight">
      <div class="line">
        {kinds.map((kind) => (
          <Checkbox
            key={kind}
            checked={chosenKinds.includes(kind)}
            onChange={(on) =>
              changeChats(
                kinds.filter((each) => (each === kind ? on : chosenKinds.includes(each))),
                listed,
              )
            }
          >
            {words[kind]}
          </Checkbox>
        ))}
      </div>
      <div class="field">
        <label for={id}>{words.listed}</label>
        <textarea
          id={id}
          rows={3}
          spellcheck={false}
          value={listed}
          aria-describedby={`${id}-hint`}
          onInput={({ currentTarget: { value } }) => {
            setListed(value)
            changeChats(chosenKinds, value)
          }}
        />
        <span class="hint" id={`${id}-hint`}>
          {words.hint}
        </span>
      </div>
    </div>
  )
}
