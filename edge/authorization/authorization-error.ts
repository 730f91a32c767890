// The errors of OAuth's own endpoints, in the form that its clients read (RFC 6749, 5.2; RFC 7591, 3.2.2; RFC 8707, 2).

type Code =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'

export class AuthorizationError extends Error {
  readonly code: Code

  constructor(code: Code, description: string) {
    super(description)
    this.code = code
  }

  get status(): 400 | 401 {
    return this.code === 'invalid_client' ? 401 : 400
  }

  get body() {
    return { error: this.code, error_description: this.message }
  }
}
