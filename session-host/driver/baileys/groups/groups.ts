// Requests and changes groups by our own queries, so that silence is never taken for success.

import { type BinaryNode, generateMessageIDV2, getBinaryNodeChildren, type WASocket } from 'baileys'
import type { GroupNetwork, NetworkGroup } from '../../driver.ts'
import { ask, bare, inside, type Question, read } from '../connection/ask.ts'
import { outward, person } from '../ids.ts'
import { errorsOf, toGroup } from './group-form.ts'

const EVERYWHERE = '@g.us'
const INVITATION = 'https://chat.whatsapp.com/'

export function makeGroupNetwork(sock: WASocket): GroupNetwork {
  const node = (
    tag: string,
    attrs: BinaryNode['attrs'] = {},
    content?: BinaryNode['content'],
  ): BinaryNode => ({
    tag,
    attrs,
    ...(content !== undefined && { content }),
  })
  const group = (to: string, type: Question['type'], content: BinaryNode, deadline: AbortSignal) =>
    ask(sock, { xmlns: 'w:g2', type, to, content: [content] }, deadline)
  const picture = (target: string, content: BinaryNode[], deadline: AbortSignal) =>
    ask(sock, { xmlns: 'w:profile:picture', type: 'set', target, content }, deadline)
  const participants = (people: string[]) => people.map((jid) => node('participant', { jid: outward(jid) }))

  return {
    async all(deadline) {
      const wanted = node('participating', {}, [node('participants'), node('description')])
      return read(await group(EVERYWHERE, 'get', wanted, deadline), (answer) => {
        const list = inside(answer, 'groups')
        return list && getBinaryNodeChildren(list, 'group').map((one) => toGroup(one))
      })
    },
    async one(jid, deadline) {
      return read(await group(jid, 'get', node('query', { request: 'interactive' }), deadline), groupIn)
    },
    async inviteLink(jid, deadline) {
      return read(await group(jid, 'get', node('invite'), deadline), linkIn)
    },
    async invited(code, deadline) {
      return read(await group(EVERYWHERE, 'get', node('invite', { code }), deadline), (answer) => {
        const found = inside(answer, 'group')
        return found && { group: toGroup(found), size: Number(found.attrs.size ?? 0) }
      })
    },
    async join(code, deadline) {
      return read(await group(EVERYWHERE, 'set', node('invite', { code }), deadline), (answer) => {
        const joined = inside(answer, 'group')?.attrs.jid
        const jid = joined ?? inside(answer, 'membership_approval_request')?.attrs.jid
        return jid ? { jid, applied: joined === undefined } : undefined
      })
    },
    async resetInvite(jid, deadline) {
      return read(await group(jid, 'set', node('invite'), deadline), linkIn)
    },
    async create(name, people, deadline) {
      const founding = node('create', { subject: name }, participants(people))
      return read(await group(EVERYWHERE, 'set', founding, deadline), groupIn)
    },
    async changeMembers(jid, action, people, deadline) {
      // Requests to join are decided in a separate node.
      const deciding = action === 'approve' || action === 'reject'
      const change = node(action, {}, participants(people))
      const request = deciding ? node('membership_requests_action', {}, [change]) : change
      return read(await group(jid, 'set', request, deadline), (answer) => {
        const list = deciding ? inside(answer, 'membership_requests_action', action) : inside(answer, action)
        return list && getBinaryNodeChildren(list, 'participant').map(verdict)
      })
    },
    async rename(jid, name, deadline) {
      return bare(await group(jid, 'set', node('subject', {}, Buffer.from(name)), deadline))
    },
    async describe(jid, text, deadline) {
      // The network accepts it only with the id of the description that it replaces.
      const now = await group(jid, 'get', node('query', { request: 'interactive' }), deadline)
      if (now.kind !== 'done') return now
      const prev = inside(now.value, 'group', 'description')?.attrs.id
      const attrs = { ...(prev && { prev }), ...(text ? { id: generateMessageIDV2() } : { delete: 'true' }) }
      const body = text ? [node('body', {}, Buffer.from(text))] : undefined
      return bare(await group(jid, 'set', node('description', attrs, body), deadline))
    },
    async announce(jid, on, deadline) {
      return bare(await group(jid, 'set', node(on ? 'announcement' : 'not_announcement'), deadline))
    },
    async lock(jid, on, deadline) {
      return bare(await group(jid, 'set', node(on ? 'locked' : 'unlocked'), deadline))
    },
    async leave(jid, deadline) {
      const leaving = node('leave', {}, [node('group', { id: jid })])
      const left = read(await group(EVERYWHERE, 'set', leaving, deadline), (answer) =>
        inside(answer, 'leave', 'group'),
      )
      if (left.kind !== 'done') return left
      // The result of each group is an attribute in an answer that is no refusal.
      const { error } = left.value.attrs
      return error ? { kind: 'refused', code: Number(error) } : { kind: 'done', value: undefined }
    },
    async setPicture(jid, jpeg, deadline) {
      const content = [node('picture', { type: 'image' }, Buffer.from(jpeg))]
      return read(await picture(jid, content, deadline), (answer) => inside(answer, 'picture')?.attrs.id)
    },
    async removePicture(jid, deadline) {
      return bare(await picture(jid, [], deadline))
    },
  }
}

function groupIn(answer: BinaryNode): NetworkGroup | undefined {
  const found = inside(answer, 'group')
  return found && toGroup(found, errorsOf(found))
}

function linkIn(answer: BinaryNode): string | undefined {
  const code = inside(answer, 'invite')?.attrs.code
  return code && INVITATION + code
}

const verdict = ({ attrs }: BinaryNode) => ({
  person: person(attrs.jid, attrs.phone_number, attrs.lid),
  code: Number(attrs.error ?? 0),
})
