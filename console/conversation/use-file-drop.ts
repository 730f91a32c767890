// Files that are dropped anywhere on the open chat: its composer takes them.

import { useState } from 'preact/hooks'

export interface FileDrop {
  /** Whether something is dragged over the chat. */
  isOver: boolean
  files: FileList | null | undefined
}

export function useFileDrop() {
  const [drop, setDrop] = useState<FileDrop>({ isOver: false, files: undefined })
  return {
    drop,
    /** The handlers of the element. */
    target: {
      onDragOver(event: DragEvent) {
        event.preventDefault()
        if (!drop.isOver) setDrop({ ...drop, isOver: true })
      },
      onDragLeave(event: DragEvent) {
        const { currentTarget, relatedTarget } = event
        if (!(currentTarget as Element).contains(relatedTarget as Element | null))
          setDrop({ ...drop, isOver: false })
      },
      onDrop(event: DragEvent) {
        event.preventDefault()
        setDrop({ isOver: false, files: event.dataTransfer?.files })
      },
    },
  }
}
