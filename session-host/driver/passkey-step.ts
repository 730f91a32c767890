// The passkey that an account may demand before a device is linked to it.

import type { PasskeyAssertion, PasskeyOptions } from '@msgnet/shared/contract/passkey-requests.ts'
import type { NetworkOutcome } from './network-outcome.ts'

export interface PasskeyStep {
  /** What the authenticator has to sign. */
  options: PasskeyOptions
  /** The code that the owner compares with the phone; empty until the assertion is accepted. */
  confirmation: string
  validMs: number
}

/** `not_requested`: the network waits for no assertion now. `other_challenge`: it was made for another one, and was not sent. */
export type AssertionResult = 'sent' | 'not_requested' | 'other_challenge'

/** Done and `sent` when the network has accepted the assertion. After a refusal the options have a new challenge. */
export type SendAssertion = (
  assertion: PasskeyAssertion,
  deadline: AbortSignal,
) => Promise<NetworkOutcome<AssertionResult>>
