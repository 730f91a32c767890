// Apart from its users, because the list and the log of messages have it: loads what belongs to a search in texts.

export const loadHits = () => import('./message-hits.tsx')
