// The texts of the tab “Deliveries”.

export const deliveries = {
  title: 'Deliveries',
  filter: 'Outcome',
  all: 'All',
  none: 'No events here.',
  noReceiver: 'No receiver',
  states: { pending: 'Waiting', delivered: 'Delivered', dead: 'Dead' },
  attempts: (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`),
  attemptsLabel: 'Attempts',
  outcome: 'Outcome',
  happened: 'Time',
  lastAttempt: 'Last attempt',
  nextAttempt: 'Next attempt',
  answered: (status: number) => `· responded with ${status}`,
  payload: 'Payload',
  showPayload: 'Show the payload',
  chart: 'The latest 200 events by outcome',
  replayDead: 'Replay dead letters',
  replayOne: 'Deliver it again',
  replayTitle: 'Deliver again',
  replayConfirm: 'Replay',
  replayHint:
    'Events keep their ids and bytes, so that a receiver recognises a repeated one by its webhook-id.',
  counting: 'Counting…',
  matched: (count: number) =>
    count === 1 ? '1 event would be delivered again.' : `${count} events would be delivered again.`,
  queued: (count: number) => (count === 1 ? '1 event is queued.' : `${count} events are queued.`),
}
