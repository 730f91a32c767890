// The past of an account that was linked: how much of it is asked for, and how far it has come.

import * as z from 'zod'

export const historyModes = ['none', 'recent', 'full'] as const
export const HistoryMode = z.enum(historyModes)
export type HistoryMode = z.infer<typeof HistoryMode>

export const historyStates = ['none', 'waiting', 'syncing', 'complete', 'stopped'] as const
export const HistoryProgress = z.object({
  state: z
    .enum(historyStates)
    .describe(
      '`waiting`: the phone has sent nothing yet. `stopped`: the phone has sent nothing more for ten minutes; what it sends later is stored too.',
    ),
  progress: z.int().min(0).max(100).describe('Percent, as the phone counts it.'),
})
export type HistoryProgress = z.infer<typeof HistoryProgress>

export const noHistory: HistoryProgress = { state: 'none', progress: 0 }
