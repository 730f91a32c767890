// Loads what an open chat shows only now and then.

export const loadThreadParts = () => import('./thread-parts.tsx')
