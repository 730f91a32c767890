// A button for an action on the gateway: it is busy while the action runs, and shows an error next to it.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ErrorNote } from './error-note.tsx'

export type ActionState = ReturnType<typeof useAction>

export function useAction() {
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false })
  const mounted = useRef(true)
  useEffect(() => {
    mounted.current = true
    return () => {
      mounted.current = false
    }
  }, [])
  return {
    busy: state.busy,
    error: state.error,
    clearError: () => setState({ busy: false }),
    fail: (error: unknown) => setState({ busy: false, error }),
    async run(work: () => unknown): Promise<void> {
      setState({ busy: true })
      try {
        await work()
        if (mounted.current) setState({ busy: false })
      } catch (error) {
        if (mounted.current) setState({ busy: false, error })
      }
    },
  }
}

interface Props {
  children: ComponentChildren
  class?: string
  disabled?: boolean
  type?: 'button' | 'submit'
  busy?: boolean
  label?: string
  onClick?: () => unknown
}

export const Button = ({
  children,
  class: kind = '',
  type = 'button',
  busy,
  disabled,
  label,
  onClick,
}: Props) => (
  <button
    type={type}
    class={`button ${kind}${busy ? ' busy' : ''}`}
    disabled={disabled || busy}
    aria-label={label}
    aria-busy={busy}
    onClick={onClick}
  >
    {children}
  </button>
)

export function ActionButton({
  onAction,
  ...rest
}: Omit<Props, 'onClick' | 'busy'> & { onAction: () => unknown }) {
  const action = useAction()
  return (
    <>
      <Button {...rest} busy={action.busy} onClick={() => action.run(onAction)} />
      {action.error !== undefined && <ErrorNote error={action.error} onClose={action.clearError} />}
    </>
  )
}
