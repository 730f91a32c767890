// Who is online, types or records in the chats of an instance, and which chats this tab has subscribed: the gateway stores neither.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { PresenceEvent } from '@msgnet/shared/contract/presence-event.ts'
import { useEffect, useState } from 'preact/hooks'
import type { AnyEnvelope } from '../use-events.ts'

const STORAGE_KEY = 'msgnet-gateway.presence'
/** Phones say again that somebody types; they may not say that it ended. */
const ACTIVITY_MS = 15_000

export interface PersonPresence {
  id: string
  /** Undefined until the network says it; it says it of people, not of the members of a group. */
  isOnline?: boolean
  /** In milliseconds; 0 where it is not shown. */
  lastSeen: number
  activity?: 'composing' | 'recording' | undefined
  /** In milliseconds. */
  activityEnd: number
}

/** By chat, then by person. */
type Presences = ReadonlyMap<string, ReadonlyMap<string, PersonPresence>>
/** By chat; a chat that was never switched is not in it. */
type Switches = Readonly<Record<string, boolean>>

export type ChatPresence = ReturnType<typeof usePresence>

export function usePresence(client: InstanceClient, instance: string, live: boolean) {
  const [presences, setPresences] = useState<Presences>(new Map())
  const [switches, setSwitches] = useState<Switches>(() => readSwitches(instance))
  /** Whether the account was shown as online when a chat was switched on last. */
  const [isShown, setShown] = useState(true)
  // What happened while there was no stream is unknown.
  useEffect(() => setPresences(new Map()), [client, live])
  useEffect(() => {
    // Who switches nothing on has nothing stored.
    if (Object.keys(switches).length > 0) storeSwitches(instance, switches)
  }, [switches])
  const handleEvent = (envelope: AnyEnvelope) => {
    setPresences((before) => mergePresence(before, envelope, Date.now()))
    if (envelope.EventType !== 'presence') return
    // Another program has subscribed this chat.
    const { number } = envelope.event
    setSwitches((before) => (number in before ? before : { ...before, [number]: true }))
  }
  const switchChat = async (chatid: string, isOn: boolean) => {
    const { online } = await client.subscribeChat({ number: chatid, subscribe: isOn })
    setSwitches((before) => ({ ...before, [chatid]: isOn }))
    if (!isOn) setPresences((before) => new Map([...before].filter(([id]) => id !== chatid)))
    setShown(online)
  }
  const showAccount = async () => {
    await client.showOwnPresence({ presence: 'available' })
    setShown(true)
  }
  return {
    handleEvent,
    switchChat,
    showAccount,
    isAccountShown: isShown,
    isOn: (chatid: string) => switches[chatid] ?? false,
    /** A state that was on its way when the chat was switched off is not shown. */
    listPeople: (chatid: string) => (switches[chatid] ? [...(presences.get(chatid)?.values() ?? [])] : []),
  }
}

function mergePresence(before: Presences, envelope: AnyEnvelope, now: number): Presences {
  // A new connection renews the subscriptions, which brings the states again.
  if (envelope.EventType === 'connection') return before.size > 0 ? new Map() : before
  if (envelope.EventType === 'messages') {
    const { chatid, sender } = envelope.message
    const person = before.get(chatid)?.get(sender)
    return person?.activity ? storePerson(before, chatid, { ...person, activity: undefined }) : before
  }
  if (envelope.EventType !== 'presence') return before
  const { number, Sender } = envelope.event
  const known = before.get(number)?.get(Sender) ?? { id: Sender, lastSeen: 0, activityEnd: 0 }
  return storePerson(before, number, changePerson(known, envelope.event, now))
}

function changePerson(
  person: PersonPresence,
  { state, lastSeen }: PresenceEvent,
  now: number,
): PersonPresence {
  if (state === 'composing' || state === 'recording')
    return { ...person, activity: state, activityEnd: now + ACTIVITY_MS }
  const idle = { ...person, activity: undefined }
  return state === 'paused' ? idle : { ...idle, isOnline: state === 'available', lastSeen }
}

function storePerson(before: Presences, chatid: string, person: PersonPresence): Presences {
  const people = new Map(before.get(chatid)).set(person.id, person)
  return new Map(before).set(chatid, people)
}

function readStorage(): Record<string, Switches> {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}')
  } catch {
    // The browser has no storage, or other data under this name: then every switch begins as off.
    return {}
  }
}

const readSwitches = (instance: string): Switches => readStorage()[instance] ?? {}

function storeSwitches(instance: string, switches: Switches): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ ...readStorage(), [instance]: switches }))
  } catch {
    // They hold until the page is closed.
  }
}
