// The button beside “Send” that opens the choice of a time. Apart from composer.tsx, because that has no dialog of its own for it.

import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useLoad } from '../ui/use-load.ts'
import { loadThreadParts } from './load-thread-parts.ts'

interface Props {
  label: string
  onSchedule: (sendAt: string) => void
}

export function SendLaterButton(props: Props) {
  const [isOpen, setOpen] = useState(false)
  const { value: loaded } = useLoad(loadThreadParts, [])
  return (
    <>
      <Button label={texts.conversation.later.title} onClick={() => setOpen(true)}>
        <Icon name="clock" />
      </Button>
      {isOpen && loaded && <loaded.SendLaterDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}
