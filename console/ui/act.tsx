// A button for an action on the gateway: it is busy while the action runs, and an error is shown beside it.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Trouble } from './trouble.tsx'

interface Doing {
  busy: boolean
  error: unknown
  run(work: () => unknown): Promise<void>
  clear(): void
}

export function useDoing(): Doing {
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false })
  const there = useRef(true)
  useEffect(() => {
    there.current = true
    return () => {
      there.current = false
    }
  }, [])
  return {
    busy: state.busy,
    error: state.error,
    clear: () => setState({ busy: false }),
    async run(work) {
      setState({ busy: true })
      try {
        await work()
        if (there.current) setState({ busy: false })
      } catch (error) {
        if (there.current) setState({ busy: false, error })
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

export function Act({ act, ...rest }: Omit<Props, 'onClick' | 'busy'> & { act: () => unknown }) {
  const doing = useDoing()
  return (
    <>
      <Button {...rest} busy={doing.busy} onClick={() => doing.run(act)} />
      {doing.error !== undefined && <Trouble error={doing.error} onClose={doing.clear} />}
    </>
  )
}
