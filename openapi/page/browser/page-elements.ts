// Finds and makes elements of the page.

export const findAll = <Kind extends HTMLElement = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): Kind[] => [...within.querySelectorAll<Kind>(selector)]

type Attributes = Record<string, string | boolean>

/** `true` sets an attribute without a value, `false` leaves it out. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes))
    if (value !== false) element.setAttribute(key, value === true ? '' : value)
  element.append(...content)
  return element
}

/** The address that the samples name: the operator's public one, or the one that the reader sees. */
export const readOrigin = (): string =>
  document.documentElement.dataset.origin || (location.protocol.startsWith('http') ? location.origin : '')

/** Whether a key that the reader presses is text. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
