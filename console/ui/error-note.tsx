// Shows an error in words, with its code and the request id for a search in the log.

import { GatewayError, GatewayUnreachable } from '@msgnet/client/errors.ts'
import { texts } from '../texts.ts'

export function describeError(error: unknown): { description: string; code: string; requestId: string } {
  if (error instanceof GatewayError) {
    const byName: Record<string, string> = texts.errors
    // The key is closer to the cause than the code: a scope that does not suffice has the code `not_admin`.
    const known = byName[String(error.body.error_key)] ?? byName[error.code]
    const serverMessage = error.body.message ?? ''
    return {
      description: known ? `${known}` : serverMessage,
      code: `${error.status} ${error.code}`,
      requestId: error.requestId,
    }
  }
  if (error instanceof GatewayUnreachable)
    return { description: texts.errors.unreachable, code: '', requestId: '' }
  // Browsers differ in the rest of what they say of an import that failed.
  if (error instanceof TypeError && error.message.includes('module'))
    return { description: texts.errors.part_not_loaded, code: '', requestId: '' }
  return { description: error instanceof Error ? error.message : String(error), code: '', requestId: '' }
}

export function ErrorNote({ error, onClose }: { error: unknown; onClose?: () => void }) {
  const { description, code, requestId } = describeError(error)
  const detail = error instanceof GatewayError ? error.body.message : undefined
  return (
    <div class="trouble" role="alert">
      <div class="line still even">
        <span class="strong">{description}</span>
        {onClose && (
          <button type="button" class="button bare" aria-label={texts.close} onClick={onClose}>
            ×
          </button>
        )}
      </div>
      {detail && detail !== description && <span class="small">{detail}</span>}
      {code && (
        <span class="small quiet">
          <code>{code}</code>
          {requestId && (
            <>
              {' · '}
              {texts.requestId} <code>{requestId}</code>
            </>
          )}
        </span>
      )}
    </div>
  )
}
