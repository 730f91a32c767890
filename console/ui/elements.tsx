// Small components that all pages use: fields, copy buttons, portraits, times.

import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { formatAgo, formatClock, formatDateTime, toDate } from '../formats.ts'
import { texts } from '../texts.ts'
import { Button } from './action-button.tsx'
import { useNow } from './use-load.ts'

interface FieldProps {
  label: string
  hint?: ComponentChildren
  value: string
  onInput: (value: string) => void
  placeholder?: string
  type?: string
  required?: boolean
  autofocus?: boolean
  inputMode?: 'numeric' | 'tel' | 'url'
}

export function Field({ label, hint, value, onInput, type = 'text', autofocus, ...rest }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...rest}
        {...{ id, value }}
        // The types forbid a role for some kinds of input; no role is set here.
        type={type as 'text'}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={hint ? `${id}-hint` : undefined}
        ref={(element) => {
          if (element && autofocus && !element.dataset.met) {
            element.dataset.met = 'yes'
            element.focus()
          }
        }}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  )
}

export function Checkbox({
  checked,
  onChange,
  children,
}: {
  checked: boolean
  onChange: (on: boolean) => void
  children: ComponentChildren
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{children}</span>
    </label>
  )
}

interface RadioLineProps<Value extends string> {
  /** For screen readers; the options explain themselves to the eye. */
  legend: string
  name: string
  options: readonly { value: Value; label: string }[]
  value: Value
  onChange: (value: Value) => void
}

export const RadioLine = <Value extends string>({
  legend,
  name,
  options,
  value,
  onChange,
}: RadioLineProps<Value>) => (
  <fieldset>
    <legend class="unseen">{legend}</legend>
    <div class="line">
      {options.map((option) => (
        <label class="check" key={option.value}>
          <input
            type="radio"
            name={name}
            checked={value === option.value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  </fieldset>
)

/** With its legend as the name of a field. */
export const RadioField = <Value extends string>(props: RadioLineProps<Value>) => (
  <div class="field">
    <span class="strong">{props.legend}</span>
    <RadioLine {...props} />
  </div>
)

interface CopyProps {
  text: string
  label?: string
  /** In place of the words. */
  children?: ComponentChildren
}

export function CopyButton({ text, label = texts.copy, children = label }: CopyProps) {
  const [copied, setCopied] = useState(false)
  const copyText = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <Button class="bare" label={copied ? texts.copied : label} onClick={copyText}>
      {copied ? texts.copied : children}
    </Button>
  )
}

export const SecretText = ({ text }: { text: string }) => (
  <div class="secret">
    <code>{text}</code>
    <CopyButton text={text} />
  </div>
)

/** A name with its value, inside `<dl class="facts">`. */
export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
)

export const Badge = ({ kind = '', children }: { kind?: string; children: ComponentChildren }) => (
  <span class={`badge ${kind}`}>{children}</span>
)

/** For a number they are the last digits, because the first ones are the country code, which most numbers share. */
function toInitials(name: string): string {
  const letters = [...name.replace(/[^\p{L}\p{N}]/gu, '')]
  const some = /\p{L}/u.test(name) ? letters.slice(0, 2) : letters.slice(-2)
  return some.join('').toUpperCase() || '·'
}

export const Initials = ({ name, round }: { name: string; round?: boolean }) => (
  <span class={`face${round ? ' round' : ''}`} aria-hidden="true">
    {toInitials(name)}
  </span>
)

export function TimeAgo({ time }: { time: string | number | undefined }) {
  useNow(10_000)
  // The gateway writes 0 for “never”.
  const date = time ? toDate(time) : undefined
  if (!date) return <span class="quiet">–</span>
  return (
    <time dateTime={date.toISOString()} title={formatDateTime(date)}>
      {formatAgo(date)}
    </time>
  )
}

export function ClockTime({ time }: { time: number }) {
  const date = toDate(time)
  return date ? <time dateTime={date.toISOString()}>{formatClock(date)}</time> : <span>–</span>
}

export const Loading = () => (
  <p class="quiet" role="status">
    {texts.loading}
  </p>
)
