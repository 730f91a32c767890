// Apart from link-page.tsx, because the page with webhooks shows it too: how a link has ended, in two sentences.

export const OutcomeNote = ({ title, description }: { title: string; description: string }) => (
  <div role="status" class="stack tight">
    <h2>{title}</h2>
    <p>{description}</p>
  </div>
)
