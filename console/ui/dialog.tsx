// A dialog in front of the page: the browser's own, which traps the focus and closes with Escape.

import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Button, useAction } from './action-button.tsx'
import { ErrorNote } from './error-note.tsx'
import { Icon } from './icon.tsx'

interface Props {
  title: string
  children: ComponentChildren
  onClose: () => void
  wide?: boolean
  /** At the side of the page, over its whole height, for the details of a row. */
  drawer?: boolean
  /** As large as what it shows. */
  full?: boolean
  /** Called when the form is sent; the dialog stays open if it throws. */
  onSubmit?: () => unknown
  renderActions?: (busy: boolean) => ComponentChildren
}

export function Dialog({ title, children, onClose, wide, drawer, full, onSubmit, renderActions }: Props) {
  const place = useRef<HTMLDialogElement>(null)
  const heading = useId()
  const action = useAction()
  useLayoutEffect(() => {
    place.current?.showModal()
  }, [])
  const submitForm = (event: Event) => {
    event.preventDefault()
    if (onSubmit) void action.run(onSubmit)
  }
  return (
    <dialog
      ref={place}
      class={drawer ? 'drawer' : full ? 'full' : wide ? 'wide' : ''}
      aria-labelledby={heading}
      onClose={onClose}
    >
      <form onSubmit={submitForm}>
        <div class="drawer-head">
          <h2 id={heading}>{title}</h2>
          {(drawer || full) && (
            <Button class="bare" label={texts.close} onClick={onClose}>
              <Icon name="close" />
            </Button>
          )}
        </div>
        {children}
        {action.error !== undefined && <ErrorNote error={action.error} />}
        {renderActions && <div class="end-line">{renderActions(action.busy)}</div>}
      </form>
    </dialog>
  )
}
