// The choice of what a token may do, with what each scope means.

interface Props<Scope extends string> {
  words: { scope: string; scopes: Record<Scope, string>; scopeHints: Record<Scope, string> }
  scopes: readonly Scope[]
  scope: Scope
  onChange: (scope: Scope) => void
}

export const ScopeChoice = <Scope extends string>({ words, scopes, scope, onChange }: Props<Scope>) => (
  <fieldset>
    <legend>{words.scope}</legend>
    {scopes.map((each) => (
      <label class="check" key={each}>
        <input type="radio" name="scope" checked={scope === each} onChange={() => onChange(each)} />
        <span>
          {words.scopes[each]} <span class="small quiet">{words.scopeHints[each]}</span>
        </span>
      </label>
    ))}
  </fieldset>
)
