// The network's own limits, as far as they are known, in one place.

export const MAX_GROUP_MEMBERS = 1_024
/** Code points, as people see them. */
export const MAX_SUBJECT = 100
export const MAX_DESCRIPTION = 2_048
/** Characters of an account's about text. */
export const MAX_ABOUT = 139
/** Pixels of the longer side of a group's or an account's picture. */
export const MAX_PICTURE_SIDE = 640
export const MAX_FILE_BYTES = 101 * 2 ** 20
export const MIN_POLL_CHOICES = 2
export const MAX_POLL_CHOICES = 12
/** One-time keys in one upload. */
export const MAX_UPLOADED_KEYS = 2_000
/** Mutations in one patch of the app state, and records in one collection. */
export const MAX_MUTATIONS = 1_000
export const MAX_RECORDS = 20_000
/** Retries of one message that a phone serves. */
export const MAX_RETRIES = 5
