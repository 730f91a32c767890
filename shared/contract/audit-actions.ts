// Actions and actors of the audit log, and how many entries one caller can add.

import * as z from 'zod'

const auditActions = [
  ...([
    'instance.create',
    'instance.connect',
    'instance.passkey',
    'instance.import',
    'instance.restart',
    'instance.disconnect',
    'instance.delete',
    'instance.token',
    'instance.rename',
    'instance.delay',
    'instance.export',
  ] as const),
  ...(['profile.name', 'profile.about', 'profile.image', 'privacy.change'] as const),
  ...(['webhook.change', 'server.webhook', 'proxy.change', 'proxy.remove', 'events.replay'] as const),
  ...(['events.read', 'conversation.read', 'link.create', 'link.delete'] as const),
  ...(['host.create', 'host.drain', 'host.undrain', 'host.slots', 'host.token', 'host.delete'] as const),
  ...(['scopedToken.create', 'scopedToken.delete', 'authorization.allow'] as const),
  ...(['token.create', 'token.renew', 'token.delete', 'laboratory.change'] as const),
] as const
/** What only shows texts: `GET /v1/audit?changes=true` leaves it out. */
export const readingActions = [
  'events.read',
  'conversation.read',
] as const satisfies (typeof auditActions)[number][]
export type ReadingAction = (typeof readingActions)[number]

/** With the operation of an admin that acts for an instance, if that is not in the log when the instance itself does it. */
export const AuditAction = z.union([
  z.enum(auditActions),
  z.templateLiteral(['acting.', z.string().regex(/[A-Za-z]+/)]),
])
export type AuditAction = z.infer<typeof AuditAction>

/** `root` is the token of the environment, `scoped` a scoped token of an instance, `link` a one-time link. */
export const ActorKind = z.enum(['root', 'token', 'instance', 'scoped', 'link'])
export type ActorKind = z.infer<typeof ActorKind>

/** Entries in a minute: refusals of one caller, and changes by the token of one instance. */
export const auditEntriesPerMinute = 60
