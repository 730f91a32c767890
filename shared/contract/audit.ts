// Actions and actors of the audit log, and the query for it.

import * as z from 'zod'

const auditActions = [
  ...([
    'instance.create',
    'instance.delete',
    'instance.disconnect',
    'instance.token',
    'instance.export',
  ] as const),
  ...(['webhook.change', 'server.webhook', 'proxy.change', 'proxy.remove'] as const),
  ...(['host.create', 'host.drain', 'host.slots', 'host.token', 'host.delete'] as const),
  ...(['token.create', 'token.renew', 'token.delete'] as const),
] as const
export const AuditAction = z.enum(auditActions)
export type AuditAction = z.infer<typeof AuditAction>

/** `root` is the token of the environment. */
export const ActorKind = z.enum(['root', 'token', 'instance'])
export type ActorKind = z.infer<typeof ActorKind>
