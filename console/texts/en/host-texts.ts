// The texts of the page “Hosts”.

export const hosts = {
  description:
    'A session host has the connections to the network. An instance belongs to one host until the lease of that host ends.',
  none: 'No session host is registered.',
  noRegion: 'Session host',
  live: 'Live',
  away: 'Not connected',
  draining: 'Draining',
  sessions: (count: number, slots: number) => `${count} of ${slots} slots in use`,
  lease: 'Lease',
  leaseLeft: (seconds: number) => `ends in ${seconds} s; it is renewed all the time`,
  lag: 'Loop lag',
  slow: 'Slow',
  store: 'Store',
  drain: 'Drain',
  drainTitle: 'Take this host out of service?',
  drainHint:
    'It gets no new instances, and its instances move to hosts that share its store. Restart the host to end this.',
  remove: 'Remove',
}
