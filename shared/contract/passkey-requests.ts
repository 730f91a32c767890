// Passkeys: what an account may demand before a device is linked to it (open points, "Third reading", "Linking").

import * as z from 'zod'

/** Bytes in base64url without padding, as `PublicKeyCredential.toJSON` writes them. */
const defineBase64UrlField = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[\w-]+$/, 'must be base64url without padding')

/** Fields that are not listed stay as the network sends them. */
export const PasskeyOptions = z
  .looseObject({
    challenge: defineBase64UrlField(2048),
    timeout: z.number().optional().describe('Milliseconds.'),
    rpId: z.string().optional().describe('The site that the passkey belongs to.'),
    allowCredentials: z.array(z.looseObject({ id: z.string(), type: z.string() })).optional(),
    userVerification: z.string().optional(),
    extensions: z.record(z.string(), z.unknown()).optional(),
  })
  .describe(
    'A `PublicKeyCredentialRequestOptionsJSON`: the input of `PublicKeyCredential.parseRequestOptionsFromJSON`, for `navigator.credentials.get` on the site `rpId`.',
  )
export type PasskeyOptions = z.infer<typeof PasskeyOptions>

export const Passkey = z.object({
  options: PasskeyOptions,
  confirmation: z
    .string()
    .describe(
      'The code that the owner compares with the phone: `ABCD-1234`. Empty until the assertion is accepted.',
    ),
  expiresAt: z.string(),
})

/** Fields that are not listed are dropped: the network takes these. */
export const PasskeyAssertion = z.object({
  id: defineBase64UrlField(2048),
  rawId: defineBase64UrlField(2048),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: defineBase64UrlField(16_384),
    authenticatorData: defineBase64UrlField(16_384),
    signature: defineBase64UrlField(16_384),
    userHandle: defineBase64UrlField(2048).nullish(),
  }),
})
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>

export const PasskeyRequest = z.object({
  assertion: PasskeyAssertion.describe(
    'An `AuthenticationResponseJSON`: the result of `toJSON()` of the credential.',
  ),
})
export type PasskeyRequest = z.infer<typeof PasskeyRequest>
