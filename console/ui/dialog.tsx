// A dialog in front of the page: the browser's own, which keeps the focus and closes with Escape.

import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { useDoing } from './act.tsx'
import { Trouble } from './trouble.tsx'

interface Props {
  title: string
  children: ComponentChildren
  onClose: () => void
  wide?: boolean
  /** Called when the form is sent; the dialog stays open if it throws. */
  onSubmit?: () => unknown
  actions?: (busy: boolean) => ComponentChildren
}

export function Dialog({ title, children, onClose, wide, onSubmit, actions }: Props) {
  const place = useRef<HTMLDialogElement>(null)
  const heading = useId()
  const doing = useDoing()
  useLayoutEffect(() => {
    place.current?.showModal()
  }, [])
  const submitted = (event: Event) => {
    event.preventDefault()
    if (onSubmit) void doing.run(onSubmit)
  }
  return (
    <dialog ref={place} class={wide ? 'wide' : ''} aria-labelledby={heading} onClose={onClose}>
      <form onSubmit={submitted}>
        <h2 id={heading}>{title}</h2>
        {children}
        {doing.error !== undefined && <Trouble error={doing.error} />}
        {actions && <div class="end-line">{actions(doing.busy)}</div>}
      </form>
    </dialog>
  )
}
