// Requests and changes groups by our own queries, so that silence is never taken for success.

import { type BinaryNode, generateMessageIDV2, getBinaryNodeChildren, type WASocket } from 'baileys'
import type { GroupNetwork, NetworkGroup } from '../../driver.ts'
import { dropValue, findNode, type Query, readResponse, sendQuery } from '../connection/network-query.ts'
import { toNetworkJid, toPerson } from '../ids.ts'
import { parseGroupNode, readMemberErrors } from './group-conversion.ts'

const ALL_GROUPS = '@g.us'
const INVITATION = 'https://chat.whatsapp.com/'

export function createGroupNetwork(sock: WASocket): GroupNetwork {
  const buildNode = (
    tag: string,
    attrs: BinaryNode['attrs'] = {},
    content?: BinaryNode['content'],
  ): BinaryNode => ({
    tag,
    attrs,
    ...(content !== undefined && { content }),
  })
  const sendGroupQuery = (to: string, type: Query['type'], content: BinaryNode, deadline: AbortSignal) =>
    sendQuery(sock, { xmlns: 'w:g2', type, to, content: [content] }, deadline)
  const sendPictureQuery = (target: string, content: BinaryNode[], deadline: AbortSignal) =>
    sendQuery(sock, { xmlns: 'w:profile:picture', type: 'set', target, content }, deadline)
  const buildParticipants = (people: string[]) =>
    people.map((jid) => buildNode('participant', { jid: toNetworkJid(jid) }))

  return {
    async listGroups(deadline) {
      const query = buildNode('participating', {}, [buildNode('participants'), buildNode('description')])
      return readResponse(await sendGroupQuery(ALL_GROUPS, 'get', query, deadline), (response) => {
        const list = findNode(response, 'groups')
        return list && getBinaryNodeChildren(list, 'group').map((one) => parseGroupNode(one))
      })
    },
    async getGroup(jid, deadline) {
      return readResponse(
        await sendGroupQuery(jid, 'get', buildNode('query', { request: 'interactive' }), deadline),
        readGroup,
      )
    },
    async getInviteLink(jid, deadline) {
      return readResponse(await sendGroupQuery(jid, 'get', buildNode('invite'), deadline), readInviteLink)
    },
    async getInvitedGroup(code, deadline) {
      return readResponse(
        await sendGroupQuery(ALL_GROUPS, 'get', buildNode('invite', { code }), deadline),
        (response) => {
          const found = findNode(response, 'group')
          return found && { group: parseGroupNode(found), size: Number(found.attrs.size ?? 0) }
        },
      )
    },
    async joinGroup(code, deadline) {
      return readResponse(
        await sendGroupQuery(ALL_GROUPS, 'set', buildNode('invite', { code }), deadline),
        (response) => {
          const joined = findNode(response, 'group')?.attrs.jid
          const jid = joined ?? findNode(response, 'membership_approval_request')?.attrs.jid
          return jid ? { jid, applied: joined === undefined } : undefined
        },
      )
    },
    async resetInviteLink(jid, deadline) {
      return readResponse(await sendGroupQuery(jid, 'set', buildNode('invite'), deadline), readInviteLink)
    },
    async createGroup(name, people, deadline) {
      const founding = buildNode('create', { subject: name }, buildParticipants(people))
      return readResponse(await sendGroupQuery(ALL_GROUPS, 'set', founding, deadline), readGroup)
    },
    async changeMembers(jid, action, people, deadline) {
      // Requests to join are decided in a separate node.
      const isDecision = action === 'approve' || action === 'reject'
      const change = buildNode(action, {}, buildParticipants(people))
      const request = isDecision ? buildNode('membership_requests_action', {}, [change]) : change
      return readResponse(await sendGroupQuery(jid, 'set', request, deadline), (response) => {
        const list = isDecision
          ? findNode(response, 'membership_requests_action', action)
          : findNode(response, action)
        return list && getBinaryNodeChildren(list, 'participant').map(readMemberResult)
      })
    },
    async renameGroup(jid, name, deadline) {
      return dropValue(
        await sendGroupQuery(jid, 'set', buildNode('subject', {}, Buffer.from(name)), deadline),
      )
    },
    async setDescription(jid, text, deadline) {
      // The network accepts it only with the id of the description that it replaces.
      const now = await sendGroupQuery(jid, 'get', buildNode('query', { request: 'interactive' }), deadline)
      if (now.kind !== 'done') return now
      const prev = findNode(now.value, 'group', 'description')?.attrs.id
      const attrs = { ...(prev && { prev }), ...(text ? { id: generateMessageIDV2() } : { delete: 'true' }) }
      const body = text ? [buildNode('body', {}, Buffer.from(text))] : undefined
      return dropValue(await sendGroupQuery(jid, 'set', buildNode('description', attrs, body), deadline))
    },
    async setAnnounceOnly(jid, on, deadline) {
      return dropValue(
        await sendGroupQuery(jid, 'set', buildNode(on ? 'announcement' : 'not_announcement'), deadline),
      )
    },
    async setLocked(jid, on, deadline) {
      return dropValue(await sendGroupQuery(jid, 'set', buildNode(on ? 'locked' : 'unlocked'), deadline))
    },
    async leaveGroup(jid, deadline) {
      const leaving = buildNode('leave', {}, [buildNode('group', { id: jid })])
      const left = readResponse(await sendGroupQuery(ALL_GROUPS, 'set', leaving, deadline), (response) =>
        findNode(response, 'leave', 'group'),
      )
      if (left.kind !== 'done') return left
      // The result of each group is an attribute in an answer that is no refusal.
      const { error } = left.value.attrs
      return error ? { kind: 'refused', code: Number(error) } : { kind: 'done', value: undefined }
    },
    async setPicture(jid, jpeg, deadline) {
      const content = [buildNode('picture', { type: 'image' }, Buffer.from(jpeg))]
      return readResponse(
        await sendPictureQuery(jid, content, deadline),
        (response) => findNode(response, 'picture')?.attrs.id,
      )
    },
    async removePicture(jid, deadline) {
      return dropValue(await sendPictureQuery(jid, [], deadline))
    },
  }
}

function readGroup(response: BinaryNode): NetworkGroup | undefined {
  const found = findNode(response, 'group')
  return found && parseGroupNode(found, readMemberErrors(found))
}

function readInviteLink(response: BinaryNode): string | undefined {
  const code = findNode(response, 'invite')?.attrs.code
  return code && INVITATION + code
}

const readMemberResult = ({ attrs }: BinaryNode) => ({
  person: toPerson(attrs.jid, attrs.phone_number, attrs.lid),
  code: Number(attrs.error ?? 0),
})
