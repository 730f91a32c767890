// Adds to the reports of hosts for the API family: an edit is also delivered as a message.

import type { EventReport, ReceivedReport } from '../../shared/wire/host-reports.ts'

/** Returns the reports with the additional events, each after the edit that it belongs to. */
export async function addEditedMessages(reports: ReceivedReport[]): Promise<ReceivedReport[]> {
  const expanded = await Promise.all(
    reports.map(async (report) => {
      if (report.t !== 'event' || report.type !== 'messages_edit' || !report.also) return [report]
      return [report, await toMessageReport(report, report.also)]
    }),
  )
  return expanded.flat()
}

async function toMessageReport(
  { also: _, ...edit }: EventReport,
  payload: Record<string, unknown>,
): Promise<EventReport> {
  return { ...edit, id: await deriveId(edit.id), type: 'messages', payload }
}

/** Derived from the edit's id, so that it is the same if the host sends the report again. */
async function deriveId(id: string): Promise<string> {
  const bytes = new TextEncoder().encode(`${id} as a message`)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).slice(0, 16)
  const hex = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}
