// The headers that every request to a webhook has. Their values are written and never shown, so a change writes all of them anew.

import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Icon } from '../ui/icon.tsx'

const words = texts.webhook.headers
const MAX_HEADERS = 10

export type Header = [name: string, value: string]

interface Props {
  /** Of the headers that are stored. */
  names: readonly string[]
  /** The address in the form has another origin than theirs. */
  areLost: boolean
  /** Undefined while the stored ones stay. */
  headers: readonly Header[] | undefined
  setHeaders: (headers: Header[] | undefined) => void
}

export const isComplete = (headers: readonly Header[]): boolean =>
  headers.every(([name, value]) => name.trim() && value.trim())

export const toHeaders = (headers: readonly Header[]): Record<string, string> =>
  Object.fromEntries(headers.map(([name, value]) => [name.trim(), value.trim()]))

export function HeaderFields({ names, areLost, headers, setHeaders }: Props) {
  const stored = areLost ? words.stayBehind : words.storedHint
  const writeAnew = () => setHeaders(names.length > 0 ? names.map((name): Header => [name, '']) : [['', '']])
  return (
    <fieldset>
      <legend>{words.legend}</legend>
      <span class="hint quiet small">
        {headers && names.length > 0 ? words.anewHint : names.length > 0 ? stored : words.hint}
      </span>
      {!headers && names.length > 0 && (
        <ul class="line">
          {names.map((name) => (
            <li key={name} class="badge plain">
              <code>{name}</code>
            </li>
          ))}
        </ul>
      )}
      {headers && <HeaderRows headers={headers} onChange={setHeaders} />}
      <div class="line">
        {!headers && <Button onClick={writeAnew}>{names.length > 0 ? words.replace : words.add}</Button>}
        {headers && headers.length < MAX_HEADERS && (
          <Button onClick={() => setHeaders([...headers, ['', '']])}>{words.add}</Button>
        )}
        {headers && (
          <Button class="bare" onClick={() => setHeaders(undefined)}>
            {words.discard}
          </Button>
        )}
      </div>
      {headers && names.length > 0 && headers.length === 0 && <p class="small">{words.removesAll}</p>}
    </fieldset>
  )
}

interface RowsProps {
  headers: readonly Header[]
  onChange: (headers: Header[]) => void
}

const HeaderRows = ({ headers, onChange }: RowsProps) => (
  <ul class="stack tight">
    {headers.map((header, index) => (
      <li key={index} class="header-row">
        {([words.name, words.value] as const).map((label, part) => (
          <input
            key={label}
            aria-label={`${label} ${index + 1}`}
            placeholder={label}
            value={header[part]}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget: { value } }) =>
              onChange(
                headers.map((each, at) =>
                  at === index ? (part === 0 ? [value, each[1]] : [each[0], value]) : each,
                ),
              )
            }
          />
        ))}
        <Button
          class="bare"
          label={words.remove(header[0] || String(index + 1))}
          onClick={() => onChange(headers.filter((_, at) => at !== index))}
        >
          <Icon name="close" size={16} />
        </Button>
      </li>
    ))}
  </ul>
)
