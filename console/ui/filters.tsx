// The filters above a list: a search field, chips that switch values on and off, a choice, and a time.

import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { formatNumber } from '../formats.ts'
import { texts } from '../texts.ts'
import { Icon } from './icon.tsx'

export const Toolbar = ({ children }: { children: ComponentChildren }) => (
  <div class="toolbar">{children}</div>
)

interface SearchFieldProps {
  value: string
  onInput: (value: string) => void
  placeholder: string
  label?: string
}

export const SearchField = ({ value, onInput, placeholder, label = texts.search }: SearchFieldProps) => (
  <div class="search-field">
    <Icon name="search" size={16} />
    <input
      type="search"
      placeholder={placeholder}
      aria-label={label}
      value={value}
      spellcheck={false}
      autocomplete="off"
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  </div>
)

interface FilterChipsProps<Value extends string> {
  label: string
  options: readonly { value: Value; label: string; count?: number | undefined; kind?: string }[]
  value: readonly string[]
  onChange: (value: Value[]) => void
  /** False: at most one chip is on. */
  multiple?: boolean
}

export function FilterChips<Value extends string>({
  label,
  options,
  value,
  onChange,
  multiple = true,
}: FilterChipsProps<Value>) {
  const toggleValue = (toggled: Value) => {
    const isOn = value.includes(toggled)
    if (!multiple) return onChange(isOn ? [] : [toggled])
    onChange(
      options
        .map((option) => option.value)
        .filter((each) => (each === toggled ? !isOn : value.includes(each))),
    )
  }
  return (
    <fieldset class="chips">
      <legend class="unseen">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          class="chip"
          aria-pressed={value.includes(option.value)}
          onClick={() => toggleValue(option.value)}
        >
          {option.kind !== undefined && <i class={`dot ${option.kind}`} />}
          {option.label}
          {option.count !== undefined && <span class="count">{formatNumber(option.count)}</span>}
        </button>
      ))}
    </fieldset>
  )
}

interface ChoiceProps {
  label: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  onChange: (value: string) => void
}

export const Choice = ({ label, value, options, onChange }: ChoiceProps) => (
  <select
    class="choice"
    aria-label={label}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  >
    {options.map(([each, name]) => (
      <option key={each} value={each}>
        {name}
      </option>
    ))}
  </select>
)

interface TimeFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
}

export function TimeField({ label, value, onChange }: TimeFieldProps) {
  const id = useId()
  return (
    <span class="time-field">
      <label class="small quiet" for={id}>
        {label}
      </label>
      <input
        id={id}
        type="datetime-local"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </span>
  )
}
