// Addresses the people whom a message mentions: phones notify a person only by the id by which the group addresses its members.

import { menuLimits } from '@msgnet/shared/contract/menu-choices.ts'
import { ALL_MEMBERS, type MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { isGroup } from '@msgnet/shared/jid.ts'
import { addAllWord, readDigits, replaceMentions } from '@msgnet/shared/mention-words.ts'
import type { Connection, ContentToSend, NetworkGroup, Person } from '../driver/driver.ts'
import type { ActionContext } from './action.ts'

interface AddressedMentions {
  mentions: string[]
  mentionsAll: boolean
  /** What stands in the words in place of the digits of any id of a person. */
  words: ReadonlyMap<string, string>
}

type Request = { number: string; mentions?: string[] | undefined }

/** The group's stored members come first, then pairs of ids that are stored, then the network. */
export async function addressMentions(
  { session, network, deadline }: ActionContext,
  { number, mentions = [] }: Request,
): Promise<AddressedMentions> {
  const named = [...new Set(mentions.filter((one) => one !== ALL_MEMBERS))]
  const mentionsAll = named.length < mentions.length && mentions.includes(ALL_MEMBERS)
  const unchanged = { mentions: named, mentionsAll, words: new Map() }
  if (!network || named.length === 0 || !isGroup(number)) return unchanged
  const found = await session.groups.findOrRequest(network, number, deadline)
  // The send is about to be refused for the same reason.
  if (found.kind !== 'done') return unchanged
  const words = new Map<string, string>()
  const addressed: string[] = []
  for (const id of named) {
    const person = await findMentioned(network, found.value, id, deadline)
    const to = (found.value.addressing === 'lid' ? person.lid : person.pn) || id
    addressed.push(to)
    for (const one of [id, person.pn, person.lid]) if (one) words.set(readDigits(one), readDigits(to))
  }
  return { mentions: [...new Set(addressed)], mentionsAll, words }
}

async function findMentioned(
  network: Connection,
  { members, addressing }: NetworkGroup,
  id: string,
  deadline: AbortSignal,
): Promise<Pick<Person, 'pn' | 'lid'>> {
  const known = await network.findKnownIds(id)
  const ids = [id, known.pn, known.lid].filter(Boolean)
  const member = members.find(({ pn, lid }) => ids.includes(pn) || ids.includes(lid))
  const person = { pn: member?.pn || known.pn, lid: member?.lid || known.lid }
  if (addressing === 'pn' || person.lid) return person
  const account = await network.findAccount(id, deadline)
  // A person who cannot be found stays as named: the message is sent all the same.
  return account.kind === 'done' ? account.value : person
}

/** The same content with the people of its words addressed. */
export function rewriteWords<Content extends ContentToSend>(
  content: Content,
  { words, mentionsAll }: AddressedMentions,
): Content {
  const rewrite = (text: string) => {
    const addressed = replaceMentions(text, words)
    return mentionsAll ? addAllWord(addressed) : addressed
  }
  switch (content.kind) {
    case 'text': {
      const { preview } = content
      // What looks like a mention in the link changes with the text.
      const matchedText = preview && replaceMentions(preview.matchedText, words)
      return {
        ...content,
        text: rewrite(content.text),
        ...(preview && matchedText && { preview: { ...preview, matchedText } }),
      }
    }
    case 'poll': {
      const text = rewrite(content.text)
      // The network takes no longer question; the people are notified without the words too.
      return text.length > menuLimits.maxPollQuestion ? content : { ...content, text }
    }
    case 'menu':
      return { ...content, menu: { ...content.menu, text: rewrite(content.menu.text) } }
    case 'media':
      return { ...content, file: { ...content.file, caption: rewrite(content.file.caption) } }
    default:
      return content
  }
}

/** The text of an edit: the people whom the edited message mentions are addressed in it as in that message. */
export function rewriteEdit({ mentions = [], content }: Partial<MessageRecord>, text: string): string {
  const { mentionedJID = [] } = (content?.contextInfo ?? {}) as { mentionedJID?: string[] }
  const words = new Map<string, string>()
  for (const { jid, lid } of mentions) {
    const to = [lid, jid].find((id) => mentionedJID.includes(id))
    for (const id of [jid, lid]) if (id && to) words.set(readDigits(id), readDigits(to))
  }
  return replaceMentions(text, words)
}
