// The picture of a person or a group, loaded when it becomes visible; until then, or without a picture, the initials.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance.ts'
import { Face } from '../ui/parts.tsx'
import { onForgotten, pictureOf } from './pictures.ts'

interface Props {
  client: InstanceClient
  jid: string
  name: string
}

export function Portrait({ client, jid, name }: Props) {
  const [picture, setPicture] = useState('')
  const place = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (!place.current) return
    let seen = false
    let current = true
    const show = async () => {
      const shown = await pictureOf(client, jid)
      if (current) setPicture(shown)
    }
    const watcher = new IntersectionObserver((changes) => {
      if (!changes.some(({ isIntersecting }) => isIntersecting)) return
      watcher.disconnect()
      seen = true
      void show()
    })
    watcher.observe(place.current)
    const end = onForgotten(client, (changed) => changed === jid && seen && void show())
    return () => {
      current = false
      watcher.disconnect()
      end()
    }
  }, [client, jid])
  return (
    <span class="portrait" ref={place}>
      {picture ? <img class="face round" src={picture} alt="" /> : <Face round name={name} />}
    </span>
  )
}
