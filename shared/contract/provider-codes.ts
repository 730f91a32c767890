// Numbers of the network that say more than that it refused.

/** What a refusal with one of these carries beside `provider_code`. */
export const providerCodes: Record<number, { error_key: string; error_source: string }> = {
  429: { error_key: 'rate_overlimit', error_source: 'network' },
  463: { error_key: 'reachout_timelock', error_source: 'network' },
}
