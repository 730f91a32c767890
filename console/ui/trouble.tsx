// Shows an error in words, with its code and the request id for a search in the log.

import { GatewayError, GatewayUnreachable } from '../../client/errors.ts'
import { texts } from '../texts.ts'

export function inWords(error: unknown): { says: string; code: string; requestId: string } {
  if (error instanceof GatewayError) {
    const known = (texts.errors as Record<string, string>)[error.code]
    const told = error.body.message ?? ''
    return {
      says: known ? `${known}` : told,
      code: `${error.status} ${error.code}`,
      requestId: error.requestId,
    }
  }
  if (error instanceof GatewayUnreachable) return { says: texts.errors.unreachable, code: '', requestId: '' }
  return { says: error instanceof Error ? error.message : String(error), code: '', requestId: '' }
}

export function Trouble({ error, onClose }: { error: unknown; onClose?: () => void }) {
  const { says, code, requestId } = inWords(error)
  const detail = error instanceof GatewayError ? error.body.message : undefined
  return (
    <div class="trouble" role="alert">
      <div class="line still even">
        <span class="strong">{says}</span>
        {onClose && (
          <button type="button" class="button bare" aria-label={texts.close} onClick={onClose}>
            ×
          </button>
        )}
      </div>
      {detail && detail !== says && <span class="small">{detail}</span>}
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
