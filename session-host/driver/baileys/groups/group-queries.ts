// Requests and changes groups by our own queries, so that an unresponsive network is never taken for success.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { type BinaryNode, generateMessageIDV2, getBinaryNodeChildren, type WASocket } from 'baileys'
import type {
  GroupNetwork,
  InvitedGroup,
  JoinRequest,
  MemberAction,
  MemberResult,
  NetworkGroup,
  NetworkOutcome,
} from '../../driver.ts'
import { dropValue, findNode, type Query, readResponse, sendQuery } from '../connection/network-query.ts'
import { toNetworkJid, toPerson } from '../ids.ts'
import { parseCode, parseCount } from '../network-numbers.ts'
import { parseGroupNode, readMemberErrors } from './group-conversion.ts'

const ALL_GROUPS = '@g.us'
const INVITATION = 'https://chat.whatsapp.com/'
/** With all that a member may see. */
const INTERACTIVE = { request: 'interactive' }

export class GroupQueries implements GroupNetwork {
  readonly #sock: WASocket

  constructor(sock: WASocket) {
    this.#sock = sock
  }

  async listGroups(deadline: AbortSignal): Promise<NetworkOutcome<NetworkGroup[]>> {
    const query = buildNode('participating', {}, [buildNode('participants'), buildNode('description')])
    return readResponse(await this.#sendQuery(ALL_GROUPS, 'get', query, deadline), (response) => {
      const list = findNode(response, 'groups')
      return list && getBinaryNodeChildren(list, 'group').map((group) => parseGroupNode(group))
    })
  }

  async getGroup(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<NetworkGroup>> {
    return readResponse(
      await this.#sendQuery(jid, 'get', buildNode('query', INTERACTIVE), deadline),
      readGroup,
    )
  }

  async getInviteLink(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<string>> {
    return readResponse(await this.#sendQuery(jid, 'get', buildNode('invite'), deadline), readInviteLink)
  }

  async getInvitedGroup(code: string, deadline: AbortSignal): Promise<NetworkOutcome<InvitedGroup>> {
    return readResponse(
      await this.#sendQuery(ALL_GROUPS, 'get', buildNode('invite', { code }), deadline),
      (response) => {
        const group = findNode(response, 'group')
        return group && { group: parseGroupNode(group), size: parseCount(group.attrs.size) }
      },
    )
  }

  async joinGroup(
    code: string,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<{ jid: string; applied: boolean }>> {
    return readResponse(
      await this.#sendQuery(ALL_GROUPS, 'set', buildNode('invite', { code }), deadline),
      (response) => {
        const joined = findNode(response, 'group')?.attrs.jid
        const jid = joined ?? findNode(response, 'membership_approval_request')?.attrs.jid
        return jid ? { jid, applied: joined === undefined } : undefined
      },
    )
  }

  async resetInviteLink(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<string>> {
    return readResponse(await this.#sendQuery(jid, 'set', buildNode('invite'), deadline), readInviteLink)
  }

  async createGroup(
    name: string,
    people: string[],
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<NetworkGroup>> {
    const request = buildNode('create', { subject: name }, buildParticipants(people))
    return readResponse(await this.#sendQuery(ALL_GROUPS, 'set', request, deadline), readGroup)
  }

  async changeMembers(
    jid: string,
    action: MemberAction,
    people: string[],
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<MemberResult[]>> {
    // Requests to join are decided in a separate node.
    const isDecision = action === 'approve' || action === 'reject'
    const change = buildNode(action, {}, buildParticipants(people))
    const request = isDecision ? buildNode('membership_requests_action', {}, [change]) : change
    const path = isDecision ? ['membership_requests_action', action] : [action]
    return readResponse(await this.#sendQuery(jid, 'set', request, deadline), (response) => {
      const list = findNode(response, ...path)
      return list && getBinaryNodeChildren(list, 'participant').map(readMemberResult)
    })
  }

  async renameGroup(jid: string, name: string, deadline: AbortSignal): Promise<NetworkOutcome> {
    return this.#change(jid, buildNode('subject', {}, Buffer.from(name)), deadline)
  }

  async setDescription(jid: string, text: string, deadline: AbortSignal): Promise<NetworkOutcome> {
    // The network accepts it only with the id of the description that it replaces.
    const current = await this.#sendQuery(jid, 'get', buildNode('query', INTERACTIVE), deadline)
    if (current.kind !== 'done') return current
    const prev = findNode(current.value, 'group', 'description')?.attrs.id
    const attrs = { ...(prev && { prev }), ...(text ? { id: generateMessageIDV2() } : { delete: 'true' }) }
    const body = text ? [buildNode('body', {}, Buffer.from(text))] : undefined
    return this.#change(jid, buildNode('description', attrs, body), deadline)
  }

  async setAnnounceOnly(jid: string, on: boolean, deadline: AbortSignal): Promise<NetworkOutcome> {
    return this.#change(jid, buildNode(on ? 'announcement' : 'not_announcement'), deadline)
  }

  async setLocked(jid: string, on: boolean, deadline: AbortSignal): Promise<NetworkOutcome> {
    return this.#change(jid, buildNode(on ? 'locked' : 'unlocked'), deadline)
  }

  async setJoinApproval(jid: string, on: boolean, deadline: AbortSignal): Promise<NetworkOutcome> {
    const join = buildNode('group_join', { state: on ? 'on' : 'off' })
    return this.#change(jid, buildNode('membership_approval_mode', {}, [join]), deadline)
  }

  async setMemberAddMode(
    jid: string,
    mode: NetworkGroup['memberAddMode'],
    deadline: AbortSignal,
  ): Promise<NetworkOutcome> {
    return this.#change(jid, buildNode('member_add_mode', {}, Buffer.from(mode)), deadline)
  }

  async setEphemeral(jid: string, seconds: number, deadline: AbortSignal): Promise<NetworkOutcome> {
    const setting =
      seconds > 0 ? buildNode('ephemeral', { expiration: `${seconds}` }) : buildNode('not_ephemeral')
    return this.#change(jid, setting, deadline)
  }

  async listRequests(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<JoinRequest[]>> {
    const request = buildNode('membership_approval_requests')
    return readResponse(await this.#sendQuery(jid, 'get', request, deadline), (response) => {
      const list = findNode(response, 'membership_approval_requests')
      return list && getBinaryNodeChildren(list, 'membership_approval_request').map(readJoinRequest)
    })
  }

  async leaveGroup(jid: string, deadline: AbortSignal): Promise<NetworkOutcome> {
    const request = buildNode('leave', {}, [buildNode('group', { id: jid })])
    const left = readResponse(await this.#sendQuery(ALL_GROUPS, 'set', request, deadline), (response) =>
      findNode(response, 'leave', 'group'),
    )
    if (left.kind !== 'done') return left
    // The result of each group is an attribute in a response that is no refusal.
    const { error } = left.value.attrs
    return error ? { kind: 'refused', code: Number(error) } : { kind: 'done', value: undefined }
  }

  async setPicture(jid: string, jpeg: Uint8Array, deadline: AbortSignal): Promise<NetworkOutcome<string>> {
    const content = [buildNode('picture', { type: 'image' }, Buffer.from(jpeg))]
    return readResponse(
      await this.#sendPicture(jid, content, deadline),
      (response) => findNode(response, 'picture')?.attrs.id,
    )
  }

  async removePicture(jid: string, deadline: AbortSignal): Promise<NetworkOutcome> {
    return dropValue(await this.#sendPicture(jid, [], deadline))
  }

  #sendQuery(to: string, type: Query['type'], content: BinaryNode, deadline: AbortSignal) {
    return sendQuery(this.#sock, { xmlns: 'w:g2', type, to, content: [content] }, deadline)
  }

  /** A change whose response has no value. */
  async #change(jid: string, content: BinaryNode, deadline: AbortSignal): Promise<NetworkOutcome> {
    return dropValue(await this.#sendQuery(jid, 'set', content, deadline))
  }

  #sendPicture(target: string, content: BinaryNode[], deadline: AbortSignal) {
    return sendQuery(this.#sock, { xmlns: 'w:profile:picture', type: 'set', target, content }, deadline)
  }
}

const buildNode = (
  tag: string,
  attrs: BinaryNode['attrs'] = {},
  content?: BinaryNode['content'],
): BinaryNode => ({
  tag,
  attrs,
  ...(content !== undefined && { content }),
})

const buildParticipants = (people: string[]) =>
  people.map((jid) => buildNode('participant', { jid: toNetworkJid(jid) }))

function readGroup(response: BinaryNode): NetworkGroup | undefined {
  const found = findNode(response, 'group')
  return found && parseGroupNode(found, readMemberErrors(found))
}

function readInviteLink(response: BinaryNode): string | undefined {
  const code = findNode(response, 'invite')?.attrs.code
  return code && INVITATION + code
}

const readJoinRequest = ({ attrs }: BinaryNode): JoinRequest => ({
  person: toPerson(attrs.jid, attrs.phone_number, attrs.lid),
  at: parseCount(attrs.request_time) * SECOND,
  method: attrs.request_method ?? '',
})

const readMemberResult = ({ attrs }: BinaryNode) => ({
  person: toPerson(attrs.jid, attrs.phone_number, attrs.lid),
  code: parseCode(attrs.error ?? '0'),
})
