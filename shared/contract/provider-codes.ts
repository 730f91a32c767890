// The network's error numbers that give a reason for a refusal.

/** The additional fields of a refusal with such a `provider_code`. */
export const providerCodes: Record<number, { error_key: string; error_source: string }> = {
  421: { error_key: 'stale_group', error_source: 'network' },
  429: { error_key: 'rate_overlimit', error_source: 'network' },
  463: { error_key: 'reachout_timelock', error_source: 'network' },
  479: { error_key: 'malformed_message', error_source: 'network' },
}
