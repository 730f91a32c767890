// The setting for how people are addressed.

/** `auto`: by LID once the account is migrated to LIDs, by number before that. */
export const dmAddressings = ['auto', 'lid', 'pn'] as const
export type DmAddressing = (typeof dmAddressings)[number]
