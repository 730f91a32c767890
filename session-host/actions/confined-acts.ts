// Runs an act whose caller may see some chats only: the others are as if they were not there. The table says of each action where its chats are.

import { removeOwnerPrefix } from '@msgnet/shared/contract/message-action-requests.ts'
import { ALL_MEMBERS } from '@msgnet/shared/contract/message-requests.ts'
import { isGroup, parseNumber, STATUS_JID } from '@msgnet/shared/jid.ts'
import {
  createDoneOutcome,
  createRefusal,
  type Outcome,
  type RefusedOutcome,
} from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput, ActionName, ActionResult } from '@msgnet/shared/wire/session-actions.ts'
import type { Action, ActionContext } from './action.ts'
import type { ChosenChats } from './chosen-chats.ts'

interface Named {
  chats?: (string | undefined)[]
  messages?: (string | undefined)[]
  /** In a message to the first of the chats. */
  people?: string[] | undefined
}

type Send = { number: string; replyid?: string | undefined; mentions?: string[] | undefined }

interface Rule<Name extends ActionName> {
  /** The chats and messages that the request names. */
  names?(input: ActionInput<Name>): Named
  /** The result without what is of other chats. */
  filter?(result: ActionResult<Name>, chats: ChosenChats): ActionResult<Name>
}

/** `open`: not about any chat. `closed`: about all chats. `groups`: about a group that has no id yet. `filters`: the action itself filters by `context.chats`. */
type Rules = { [Name in ActionName]: Rule<Name> | 'open' | 'closed' | 'groups' | 'filters' }

const byNumber = { names: ({ number }: { number: string }) => ({ chats: [number] }) }
const byGroup = { names: ({ groupjid }: { groupjid: string }) => ({ chats: [groupjid] }) }
const byMessage = { names: ({ id }: { id: string }) => ({ messages: [id] }) }
const byContact = {
  names: ({ number, phone }: { number?: string | undefined; phone?: string | undefined }) => ({
    chats: [number ?? phone],
  }),
}
const bySend = {
  names: ({ number, replyid, mentions }: Send) => ({
    chats: [number],
    messages: [replyid && removeOwnerPrefix(replyid)],
    people: mentions?.filter((one) => one !== ALL_MEMBERS),
  }),
}
const byBoth = {
  names: ({ number, id }: { number: string; id: string }) => ({ chats: [number], messages: [id] }),
}
const pickIncluded = (list: string[], chats: ChosenChats) => list.filter((id) => chats.includes(id))

const rules: Rules = {
  'session.connect': 'open',
  'session.passkey': 'open',
  'session.restart': 'open',
  'session.proxy': 'open',
  'session.disconnect': 'open',
  'session.delete': 'closed',
  'session.import': 'closed',
  'session.export': 'closed',
  'message.sendText': bySend,
  'message.sendLocation': bySend,
  'message.sendEvent': bySend,
  'message.sendContact': bySend,
  'message.sendMedia': bySend,
  'message.sendAlbum': bySend,
  'message.sendMenu': bySend,
  'message.sendStatus': 'closed',
  'message.media': byMessage,
  'message.download': byMessage,
  'message.schedule': {
    names: ({ action, input }) =>
      action === 'message.sendStatus' ? { chats: [STATUS_JID] } : bySend.names(input as Send),
  },
  'message.listScheduled': 'filters',
  'message.cancelScheduled': byMessage,
  'message.forward': byBoth,
  'message.react': byBoth,
  'message.delete': byMessage,
  'message.edit': byMessage,
  'message.pin': byMessage,
  'message.star': byMessage,
  'message.presence': byNumber,
  'message.markread': 'filters',
  'message.find': 'filters',
  'message.recover': byMessage,
  'message.history': { names: ({ number, before }) => ({ chats: [number], messages: [before] }) },
  'group.list': {
    filter: ({ groups, next }, chats) => ({ groups: groups.filter(({ JID }) => chats.includes(JID)), next }),
  },
  'group.info': byGroup,
  'group.create': 'groups',
  'group.updateParticipants': byGroup,
  'group.updateName': byGroup,
  'group.updateImage': byGroup,
  'group.leave': byGroup,
  'group.join': 'groups',
  'group.inviteInfo': 'groups',
  'group.resetInviteCode': byGroup,
  'group.updateDescription': byGroup,
  'group.updateAnnounce': byGroup,
  'group.updateLocked': byGroup,
  'group.updateSettings': byGroup,
  'group.requests': byGroup,
  'account.limits': 'open',
  'account.identities': {
    filter: (found, chats) =>
      found.map((one) => {
        const { id } = one
        if (chats.includes(id, one.jid, one.lid)) return one
        const isLid = id.endsWith('@lid')
        return { id, jid: isLid || isGroup(id) ? '' : id, lid: isLid ? id : '', source: '' as const }
      }),
  },
  'account.block': {
    ...byNumber,
    filter: ({ blockList, ...rest }, chats) => ({ ...rest, blockList: pickIncluded(blockList, chats) }),
  },
  'account.blocklist': {
    filter({ blockList }, chats) {
      const included = pickIncluded(blockList, chats)
      return { response: `${included.length} blocked`, blockList: included }
    },
  },
  'account.privacy': 'open',
  'account.changePrivacy': 'open',
  'account.presence': 'open',
  'account.rename': 'open',
  'account.about': 'open',
  'account.updateAbout': 'open',
  'account.updateImage': 'open',
  'call.reject': 'filters',
  'call.list': {
    filter: ({ calls }, chats) => ({
      calls: calls.filter(({ From, GroupJID }) => chats.includes(GroupJID || From)),
    }),
  },
  'chat.read': byNumber,
  'chat.subscribe': byNumber,
  'chat.find': 'filters',
  'chat.ephemeral': byNumber,
  'chat.check': {
    filter: (checks, chats) =>
      checks.map((check) =>
        chats.includes(check.jid, check.lid, parseNumber(check.query) ?? '')
          ? check
          : {
              ...check,
              jid: '',
              lid: '',
              isInMsgnet: false,
              verifiedName: '',
              groupName: '',
              username: undefined,
            },
      ),
  },
  'chat.archive': byNumber,
  'chat.pin': byNumber,
  'chat.mute': byNumber,
  'chat.delete': byNumber,
  'chat.details': byNumber,
  'contact.list': 'filters',
  'contact.add': byContact,
  'contact.remove': byContact,
  'label.list': 'open',
  'label.edit': 'open',
  'label.chat': byNumber,
}

/** `chats`: those of the context. */
export async function runConfined<Name extends ActionName>(
  name: Name,
  run: Action<Name>,
  context: ActionContext,
  chats: ChosenChats,
  input: ActionInput<Name>,
): Promise<Outcome<ActionResult<Name>>> {
  const rule = rules[name] as Rules[Name]
  if (rule === 'closed' || (rule === 'groups' && !chats.choice.groups)) return createRefusal('token_scope')
  if (typeof rule === 'string') return run(context, input)
  const refusal = await refuseHidden(context, chats, rule.names?.(input) ?? {})
  if (refusal) return refusal
  const outcome = await run(context, input)
  if (outcome.kind !== 'done' || !rule.filter) return outcome
  return createDoneOutcome(rule.filter(outcome.result, chats))
}

/** As the network or the store would refuse what is not there. */
async function refuseHidden(
  { session, network, deadline }: ActionContext,
  chats: ChosenChats,
  named: Named,
): Promise<RefusedOutcome | undefined> {
  for (const chat of named.chats ?? [])
    if (chat !== undefined && !(await chats.includesNamed(chat)))
      return createRefusal(isGroup(chat) ? 'group_not_found' : 'not_on_network')
  for (const id of named.messages ?? [])
    if (id !== undefined && !(await chats.includesMessage(id))) return createRefusal('message_not_found')
  const [chat = ''] = named.chats ?? []
  const people = named.people ?? []
  // Its members are stored then.
  if (people.length > 0 && network && isGroup(chat))
    await session.groups.findOrRequest(network, chat, deadline)
  for (const person of people)
    if (!(await chats.includesPerson(person, chat))) return createRefusal('not_on_network')
  return undefined
}
