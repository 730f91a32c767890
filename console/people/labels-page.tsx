// The labels of a business account: created, changed, deleted, and put on chats.

import type { Label } from '@msgnet/shared/contract/responses/setting-responses.ts'
import { useState } from 'preact/hooks'
import type { AccountProps } from '../account-props.ts'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'
import type { Column } from '../ui/data-table.tsx'
import { TimeAgo } from '../ui/elements.tsx'
import { Toolbar } from '../ui/filters.tsx'
import { Icon } from '../ui/icon.tsx'
import { ListPage } from '../ui/list-page.tsx'
import { EmptyState } from '../ui/notices.tsx'
import { useLoad } from '../ui/use-load.ts'
import { DeleteLabelDialog, LabelChatDialog, LabelDialog } from './label-dialogs.tsx'

const words = texts.people.labels

type OpenDialog = { kind: 'create' | 'chat' } | { kind: 'edit' | 'delete'; label: Label }

export function LabelsPage({ client }: AccountProps) {
  const loaded = useLoad(() => client.listLabels(), [client])
  const [open, setOpen] = useState<OpenDialog>()
  const dialog = { client, onChange: loaded.reload, onClose: () => setOpen(undefined) }
  return (
    <ListPage
      filters={
        <>
          <p class="quiet">{words.description}</p>
          <Toolbar>
            <span class="toolbar-end line">
              <Button disabled={!loaded.value?.length} onClick={() => setOpen({ kind: 'chat' })}>
                {words.chat}
              </Button>
              <Button class="main" onClick={() => setOpen({ kind: 'create' })}>
                <Icon name="plus" size={16} />
                {words.create}
              </Button>
            </span>
          </Toolbar>
        </>
      }
      loaded={loaded}
      getRows={(labels) => labels}
      label={texts.instance.tabs.labels}
      columns={createColumns(setOpen)}
      getKey={({ labelid }) => labelid}
      empty={<EmptyState icon="tag" title={words.none} hint={words.noneHint} />}
    >
      {open?.kind === 'create' && <LabelDialog {...dialog} />}
      {open?.kind === 'edit' && <LabelDialog {...dialog} label={open.label} />}
      {open?.kind === 'delete' && <DeleteLabelDialog {...dialog} label={open.label} />}
      {open?.kind === 'chat' && <LabelChatDialog {...dialog} labels={loaded.value ?? []} />}
    </ListPage>
  )
}

const createColumns = (onOpen: (dialog: OpenDialog) => void): Column<Label>[] => [
  {
    key: 'label',
    title: words.label,
    narrow: 'title',
    render: ({ name, colorHex }) => (
      <span class="line still">
        <i class="swatch" style={{ background: colorHex }} />
        <span class="cut strong">{name}</span>
      </span>
    ),
  },
  { key: 'changed', title: words.changed, render: ({ updated }) => <TimeAgo time={updated} /> },
  {
    key: 'actions',
    title: words.actions,
    align: 'end',
    narrow: 'end',
    render: (label) => (
      <span class="row-actions">
        <Button
          class="small-button"
          label={words.editNamed(label.name)}
          onClick={() => onOpen({ kind: 'edit', label })}
        >
          {words.edit}
        </Button>
        <Button
          class="small-button danger"
          label={words.deleteNamed(label.name)}
          onClick={() => onOpen({ kind: 'delete', label })}
        >
          {words.delete}
        </Button>
      </span>
    ),
  },
]
