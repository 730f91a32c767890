// The texts of the page with the webhooks of one instance.

export const portal = {
  title: 'Your webhooks',
  intro: (name: string) => `How events of “${name}” reach your server.`,
  none: 'No webhook receives events at present.',
  stopped: 'Nothing is sent until the webhook is saved again. Ask the person who sent you this link.',
}
