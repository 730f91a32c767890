// What the Cloud API says of a phone number and of a token.

import type { Connection } from '@msgnet/shared/contract/responses/instance-responses.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { isNamedBy, nameInstance, requireNamed } from './cloud-instances.ts'
import { describeFile } from './cloud-media.ts'

type EdgeContext = Context<EdgeEnv>

/** What is no instance is a file. */
export const showObject = (c: EdgeContext, { params }: DialectInput) =>
  isNamedBy(c.var.instance, params.id ?? '') ? describePhone(c) : describeFile(c, params.id ?? '')

export async function listPhones(c: EdgeContext, { params }: DialectInput) {
  requireNamed(c, params.waba)
  return { data: [await describePhone(c)], paging: {} }
}

async function describePhone(c: EdgeContext) {
  const { instance, loggedIn } = await callContract<Connection>(c, 'getStatus')
  return {
    id: nameInstance(c.var.instance),
    display_phone_number: instance.owner && `+${instance.owner}`,
    verified_name: instance.profileName || instance.name,
    quality_rating: 'GREEN',
    platform_type: 'CLOUD_API',
    status: loggedIn ? 'CONNECTED' : 'DISCONNECTED',
    code_verification_status: loggedIn ? 'VERIFIED' : 'EXPIRED',
  }
}

/** Only the token of this request is known to be valid. */
export async function debugToken(c: EdgeContext, { query }: DialectInput) {
  const { instance } = c.var
  const isOwn = (await c.env.runtime.cryptography.digest(query.input_token ?? '')) === c.var.tokenHash
  const scopes = ['whatsapp_business_management', 'whatsapp_business_messaging']
  const id = nameInstance(instance)
  return {
    data: {
      app_id: id,
      application: instance.name,
      type: 'SYSTEM_USER',
      is_valid: isOwn,
      expires_at: 0,
      scopes: isOwn ? scopes : [],
      granular_scopes: isOwn ? scopes.map((scope) => ({ scope, target_ids: [id] })) : [],
    },
  }
}

/** The account was linked already; its PIN is on the phone. */
export function register(c: EdgeContext, { params }: DialectInput) {
  const { loggedIn } = requireNamed(c, params.pn)
  if (!loggedIn) throw new Fault('not_connected')
  return { success: true }
}
