// The picture of a person or a group, loaded when it becomes visible; until then, or without a picture, the initials.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Initials } from '../ui/elements.tsx'
import { loadPicture, onPictureChange } from './load-pictures.ts'

interface Props {
  client: InstanceClient
  jid: string
  name: string
}

/** A colour of its own for each id, as an angle of the colour wheel. */
export function toHue(id: string): number {
  let sum = 0
  for (const letter of id) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 3600
  return sum % 360
}

export function Portrait({ client, jid, name }: Props) {
  const [picture, setPicture] = useState('')
  const place = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (!place.current) return
    let seen = false
    let current = true
    const showPicture = async () => {
      const shown = await loadPicture(client, jid)
      if (current) setPicture(shown)
    }
    const watcher = new IntersectionObserver((changes) => {
      if (!changes.some(({ isIntersecting }) => isIntersecting)) return
      watcher.disconnect()
      seen = true
      void showPicture()
    })
    watcher.observe(place.current)
    const stopListening = onPictureChange(client, (changed) => changed === jid && seen && void showPicture())
    return () => {
      current = false
      watcher.disconnect()
      stopListening()
    }
  }, [client, jid])
  return (
    <span class="portrait" ref={place} style={{ '--hue': toHue(jid) }}>
      {picture ? <img class="face round" src={picture} alt="" /> : <Initials round name={name} />}
    </span>
  )
}
