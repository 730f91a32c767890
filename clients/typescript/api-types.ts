// The types of the API that the client names. In the package they are interfaces, made from the same schemas (`cli/build/clients/typescript-code.ts`).

import type { ChangeEnvelope } from '@msgnet/shared/contract/change-envelopes.ts'
import type { Envelope as StoredEnvelope } from '@msgnet/shared/contract/event-envelopes.ts'
import type { WebhookDeleted as WebhookDeletedSchema } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import type { WebhookSave as WebhookSaveSchema } from '@msgnet/shared/contract/webhook-requests.ts'
import type { FaultName } from '@msgnet/shared/fault-table.ts'
import type * as z from 'zod'

export type * from '@msgnet/shared/contract/responses/error-response.ts'
export type * from '@msgnet/shared/contract/responses/event-responses.ts'
export type * from '@msgnet/shared/contract/responses/instance-responses.ts'
export type * from '@msgnet/shared/contract/responses/message-responses.ts'
export type * from '@msgnet/shared/contract/responses/webhook-responses.ts'

/** An event, as it is posted and streamed: `EventType` says which. */
export type Envelope = StoredEnvelope | ChangeEnvelope

/** A webhook that is saved, not turned off. */
export type WebhookSave = z.input<typeof WebhookSaveSchema>

export type WebhookDeleted = z.infer<typeof WebhookDeletedSchema>

/** The codes of this version of the contract, and those that a later one adds. */
export type ErrorCode =
  | Exclude<FaultName, 'host_not_found' | 'link_not_found' | 'not_an_image'>
  | (string & Record<never, never>)
