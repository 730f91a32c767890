// The console's texts about a device that moves in from another program.

export const imported = {
  title: 'Or bring the device from another program',
  description:
    'A file with the credential of a device that another program has linked, as lines of JSON. No code is needed then.',
  stopFirst:
    'End the other program first. If both use the credential, the network lets only one of them be connected.',
  file: 'The file with the credential',
  sending: 'How much has been sent',
  sent: (sent: string, all: string) => `${sent} of ${all} sent`,
  checking: 'Sent. Every line is being checked…',
  start: 'Import and connect',
}
