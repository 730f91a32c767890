// Apart from what sends and what reads messages, because both write their ids so.

/** The ids of messages of this service begin so. */
const PREFIX = 'wamid.'

export const addPrefix = (messageid: string): string => PREFIX + messageid

/** It is taken with or without. */
export const removePrefix = (id: string): string => (id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id)
