// The privacy settings of an account, each with the values that can be set.

const audiences = ['all', 'contacts', 'contact_blacklist', 'none'] as const

/** The values of each category that the network knows. */
export const privacyChoices = {
  groupadd: audiences,
  last: audiences,
  status: audiences,
  profile: audiences,
  readreceipts: ['all', 'none'],
  online: ['all', 'match_last_seen'],
  calladd: ['all', 'known'],
} as const
