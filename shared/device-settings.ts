// The settings that say how a device names itself to the network, and which version it announces: their values and their forms.

/** Programs that the network knows; it links no other. */
export const platforms = ['Chrome', 'Edge', 'Firefox', 'Opera', 'Safari'] as const
export type Platform = (typeof platforms)[number]

export const defaultDevice = { name: 'Windows', platform: 'Chrome' } as const

/** Shown on the phone: letters, digits and spaces, as systems are called. */
export const deviceName = {
  pattern: /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]{0,38}[\p{L}\p{N}.])?$/u,
  expected: 'must be 1 to 40 letters, digits, spaces, dots, dashes or underscores',
} as const

/** In place of a version: the library's own, and a newer one of the network's site once the network refuses that. */
export const FOLLOWED_VERSION = 'auto'

/** The first two parts have been the same for years. */
export const networkVersion = {
  pattern: /^(?:2\.3000\.\d{9,10}|auto)$/,
  expected: 'must be 2.3000. and nine or ten digits, or auto',
} as const
