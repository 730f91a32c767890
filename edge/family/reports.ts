// Reports of hosts as receivers of the API family want them: an edit is told as a message too.

import type { EventReport, ReportTaken } from '../../shared/wire/reports.ts'
import { type Env, speaksFamily } from '../env.ts'

/** With what is to be told beside, each behind what it goes with. */
export async function withEdits(env: Env, reports: ReportTaken[]): Promise<ReportTaken[]> {
  if (!speaksFamily(env)) return reports
  const told = await Promise.all(
    reports.map(async (report) => {
      if (report.t !== 'event' || report.type !== 'messages_edit' || !report.also) return [report]
      return [report, await asMessage(report, report.also)]
    }),
  )
  return told.flat()
}

async function asMessage(
  { also: _, ...edit }: EventReport,
  payload: Record<string, unknown>,
): Promise<EventReport> {
  return { ...edit, id: await beside(edit.id), type: 'messages', payload }
}

/** Made of the id, so that it is the same when the host tells it again. */
async function beside(id: string): Promise<string> {
  const bytes = new TextEncoder().encode(`${id} as a message`)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).slice(0, 16)
  const hex = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}
